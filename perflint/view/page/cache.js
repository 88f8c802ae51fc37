// Cache view: GRAB's root causes, as lines from what evicts to what then misses.

const FAULTS = { // type: what it is, colour, pixels beside the others
  mh: ['another thread evicted it, before the cache was full', '#0072b2', -8],
  'm*h': ['another thread evicted it, the cache was full', '#d55e00', 0],
  mm: ['its own thread would have evicted it too', '#009e73', 8],
};
const PITCH = 34;
const MOST_ROWS = 24;

class CacheView {
  constructor(pane) {
    this.pane = pane;
    this.box = element('div', { class: 'operation' });
  }

  forget() {}

  /** Every (evictor, victim) with its faults by type, the most first. */
  pairs() {
    const out = [];
    for (const { type, causes } of this.pane.trace.data.profile.cache.faults) {
      for (const cause of causes) {
        for (const effect of cause.effects) {
          out.push({ type, from: cause, to: effect, count: effect.faults });
        }
      }
    }
    return out.sort((a, b) => b.count - a.count);
  }

  show() {
    const { cache } = this.pane.trace.data.profile;
    const made = cache.cache;
    this.box.replaceChildren(element('p', { class: 'summary' },
      `${plain(made.size / 1024)} KB of L1, ${counted(made.ways, 'way')}, `
      + `${counted(cache.resident_blocks, 'block')} at a time: ${plain(cache.hits)} hits of `
      + `${counted(cache.accesses, 'access', 'accesses')}, ${plain(cache.cold)} cold misses`));
    for (const note of cache.notes) this.box.append(element('p', { class: 'faint' }, note));
    const pairs = this.pairs();
    if (!pairs.length) {
      this.box.append(element('p', {}, 'No line is missed that was in the cache before.'));
      return;
    }
    this.box.append(element('div', { class: 'picture', tabindex: '0', role: 'region',
      'aria-label': `Who evicts whom, ${this.pane.name}` }, this.picture(pairs)));
    for (const [type, [text, colour]] of Object.entries(FAULTS)) {
      const sum = pairs.filter((p) => p.type === type).reduce((n, p) => n + p.count, 0);
      if (!sum) continue;
      const dot = drawn('svg', { width: 10, height: 10, 'aria-hidden': 'true' },
        drawn('rect', { width: 10, height: 10, fill: colour }));
      this.box.append(element('p', {}, dot, ` ${counted(sum, 'miss', 'misses')} (${type}): ${text}`));
    }
    if (cache.remedies.length) {
      this.box.append(element('p', { class: 'summary' }, 'What would help'),
        element('ul', {}, ...cache.remedies.map((each) => element('li', {}, `${each.change}: `
          + `${plain(each.conflict + each.capacity + each.intra)} such misses left`))));
    }
    const head = ['Evicting line', 'Array', 'Missing line', 'Array', 'Type', 'Misses'];
    this.box.append(asTable('Evictions as a table', this.pane.name, head, () => pairs.map((p) => (
      [p.from.row, p.from.array, p.to.row, p.to.array, p.type, p.count]))));
  }

  picture(pairs) {
    const key = (place) => `${place.filename}:${place.row} ${place.array}`;
    const places = (side) => [...new Map(pairs.map((p) => [key(p[side]), p[side]]))]
      .sort(([, a], [, b]) => a.row - b.row).slice(0, MOST_ROWS);
    const [left, right] = [places('from'), places('to')];
    const rows = Math.max(left.length, right.length);
    const svg = picture(620, 40 + rows * PITCH);
    svg.setAttribute('aria-label', 'Lines from what evicts to what then misses');
    svg.append(written(192, 16, 'evicts', true), written(428, 16, 'misses'));
    const most = pairs[0].count;
    const at = (list, place) => {
      const row = list.findIndex(([name]) => name === key(place));
      return row < 0 ? null : 40 + (row + (rows - list.length) / 2) * PITCH;
    };
    for (const { type, from, to, count } of [...pairs].reverse()) {
      if (at(left, from) === null || at(right, to) === null) continue;
      const [y, z] = [at(left, from), at(right, to)].map((each) => each + FAULTS[type][2]);
      const line = drawn('path', { class: 'flow', d: `M200 ${y}C310 ${y} 310 ${z} 420 ${z}`,
        stroke: FAULTS[type][1], 'stroke-width': 1 + 6 * (count / most) });
      const text = `line ${from.row} (${from.array}) evicts what line ${to.row} (${to.array}) then `
        + `misses: ${counted(count, 'time')}; ${FAULTS[type][0]}`;
      line.addEventListener('pointermove', (event) => tip.show(text, event));
      line.addEventListener('pointerleave', tip.hide);
      svg.append(line);
    }
    const label = (place, x, y, end) => {
      const source = this.pane.trace.data.sources.findIndex((s) => s.name === place.filename);
      const text = written(x, y + 3, `${place.row}: ${place.array}`.slice(0, 34), end);
      text.classList.add('place');
      text.addEventListener('click', () => this.pane.source.choose(`${source}:${place.row}`));
      text.addEventListener('pointermove', (event) => tip.show(place.source, event));
      text.addEventListener('pointerleave', tip.hide);
      return text;
    };
    for (const [, place] of left) svg.append(label(place, 192, at(left, place), true));
    for (const [, place] of right) svg.append(label(place, 428, at(right, place), false));
    return svg;
  }
}
