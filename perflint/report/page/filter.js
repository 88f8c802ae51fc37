(() => {
'use strict';
const at = (id) => document.getElementById(id);
const bar = at('filter'), words = at('words'), rule = at('rule'), level = at('level');
if (!bar) return;
const rows = Array.from(document.querySelectorAll('article'), (of) => ({
  of, text: of.querySelector('header').textContent.toLowerCase(),
}));
const apply = () => {
  const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const { of, text } of rows) {
    const fits = (!rule.value || of.dataset.code === rule.value)
      && (!level.value || of.dataset.level === level.value)
      && wanted.every((word) => text.includes(word));
    of.hidden = !fits;
    shown += fits;
  }
  at('shown').textContent = `${shown} of ${rows.length}`;
};
for (const field of [words, rule, level]) field.addEventListener('input', apply);
bar.addEventListener('submit', (event) => event.preventDefault());
bar.hidden = false;
apply();
})();
