// The picture of a cache's sets: a bar for each, of what it misses that it held before.

const TALL = 90; // pixels of the highest bar
const ORDER = ['mm', 'm*h', 'mh']; // from the bottom

/** Misses of what the set held before. */
function missesOf(set) {
  return ORDER.reduce((sum, type) => sum + set[type], 0);
}

/** `Set 3: 12 misses (12 m*h), 40 hits of 60 accesses, 8 cold; 6 lines of a, 2 of b for 4 ways`. */
function setText(cache, number) {
  const set = cache.sets[number];
  const types = ORDER.filter((type) => set[type]).map((type) => `${plain(set[type])} ${type}`);
  const kinds = types.length ? ` (${types.join(', ')})` : '';
  const lines = Object.entries(set.lines).map(([array, n], i) => (
    `${i ? plain(n) : counted(n, 'line')} of ${array}`));
  return `Set ${number}: ${counted(missesOf(set), 'miss', 'misses')}${kinds}, ${plain(set.hits)} hits `
    + `of ${counted(set.accesses, 'access', 'accesses')}, ${plain(set.cold)} cold; `
    + `${lines.join(', ') || 'no line'} for ${counted(cache.cache.ways, 'way')}`;
}

class SetBars {
  constructor(view) {
    this.view = view;
  }

  show(box) {
    const { cache, chosen } = this.view;
    const focused = this.keep;
    this.keep = false;
    const svg = this.draw();
    const around = element('div', { class: 'picture', tabindex: '0', role: 'region',
      'aria-label': `Sets of the cache, ${this.view.pane.name}` }, svg);
    box.append(element('p', { class: 'what' }, chosen === null
      ? 'Misses by set: a click or the arrows choose one' : setText(cache, chosen)), around);
    const bar = svg.querySelector('.chosen .ground');
    if (bar) around.scrollLeft = Number(bar.getAttribute('x')) - around.clientWidth / 2;
    if (focused) svg.focus({ preventScroll: true });
  }

  draw() {
    const { sets, chosen, cache } = this.view;
    const wide = Math.max(4, Math.min(44, 600 / sets.length));
    const most = Math.max(1, ...sets.map(missesOf));
    const svg = picture(20 + wide * sets.length, TALL + 26);
    svg.style.maxWidth = 'none'; // many sets scroll
    svg.classList.add('sets');
    svg.setAttribute('aria-label', 'Misses of each set. The arrows choose a set, Escape all of them.');
    const every = Math.ceil(26 / wide); // numbers that have room
    sets.forEach((set, number) => {
      const x = 10 + number * wide;
      let y = TALL + 6;
      const whole = drawn('rect', { x, y: 6, width: wide - 2, height: TALL, class: 'ground' });
      const bar = drawn('g', { class: number === chosen ? 'set chosen' : 'set' }, whole);
      for (const type of ORDER) {
        const tall = TALL * (set[type] / most);
        y -= tall;
        if (tall) bar.append(drawn('rect', { x, y, width: wide - 2, height: tall, fill: FAULTS[type][1] }));
      }
      if (number % every === 0) {
        const name = written(x + (wide - 2) / 2, TALL + 20, String(number));
        name.setAttribute('text-anchor', 'middle');
        bar.append(name);
      }
      bar.addEventListener('click', () => this.choose(number === chosen ? null : number));
      bar.addEventListener('pointermove', (event) => tip.show(setText(cache, number), event));
      bar.addEventListener('pointerleave', tip.hide);
      svg.append(bar);
    });
    svg.addEventListener('keydown', (event) => {
      const last = sets.length - 1;
      const next = { ArrowRight: Math.min(last, (chosen ?? -1) + 1), Home: 0, End: last,
        ArrowLeft: Math.max(0, (chosen ?? sets.length) - 1), Escape: null }[event.key];
      if (next === undefined) return;
      event.preventDefault();
      this.choose(next);
    });
    return svg;
  }

  choose(number) {
    this.keep = true;
    this.view.choose(number);
  }

  table() {
    const { sets, pane } = this.view;
    const head = ['Set', 'Accesses', 'Hits', 'Cold', ...Object.keys(FAULTS), 'Lines'];
    return asTable('Sets as a table', pane.name, head, () => sets.map((set, number) => [number,
      set.accesses, set.hits, set.cold, ...Object.keys(FAULTS).map((type) => set[type]),
      Object.entries(set.lines).map(([array, n]) => `${array} ${plain(n)}`).join(', ')]));
  }
}
