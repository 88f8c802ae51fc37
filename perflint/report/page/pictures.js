(() => {
'use strict';
// Beyond the first pictures, which lie in the page, the others are packed: they are drawn when looked at.
const drawn = async (box) => {
  const packed = box.dataset.packed;
  if (!packed) return;
  delete box.dataset.packed;
  try {
    const raw = Uint8Array.from(atob(packed), (c) => c.charCodeAt(0));
    const stream = new Blob([raw]).stream().pipeThrough(new DecompressionStream('deflate'));
    box.innerHTML = await new Response(stream).text();
  } catch (error) {
    box.textContent = `The picture cannot be drawn: ${error.message}.`;
  }
};
const within = (of) => of.querySelectorAll('[data-packed]').forEach(drawn);
for (const each of document.querySelectorAll('details')) {
  each.addEventListener('toggle', () => { if (each.open) within(each); });
}
addEventListener('beforeprint', () => document.querySelectorAll('details[open]').forEach(within));
})();
