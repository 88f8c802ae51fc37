// Cache view: GRAB's root causes, as lines from what evicts to what then misses, by set of the cache.

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
    this.chosen = null; // a set's number; null for all of them
    this.box = element('div', { class: 'operation' });
    this.bars = new SetBars(this);
  }

  get cache() { return this.pane.trace.data.profile.cache; }

  /** Each set's figures; [] where the cache has one set only. */
  get sets() { return this.cache.sets?.length > 1 ? this.cache.sets : []; }

  forget() {}

  /** Look at one set's misses, or at those of all. */
  choose(number) {
    this.chosen = number;
    this.pane.show();
    say(number === null ? 'all sets' : setText(this.cache, number));
  }

  /** Every (evictor, victim) with its faults by type, the most first: of the set that is chosen. */
  pairs() {
    const out = [];
    for (const { type, causes } of this.cache.faults) {
      for (const cause of causes) {
        for (const effect of cause.effects) {
          const count = this.chosen === null ? effect.faults : effect.sets[this.chosen] || 0;
          out.push({ type, from: cause, to: effect, count });
        }
      }
    }
    return out.sort((a, b) => b.count - a.count);
  }

  toolbar() {
    if (!this.sets.length) return [];
    const option = (value, text) => element('option',
      { value, selected: value === String(this.chosen ?? '') }, text);
    const box = element('select', { on: { change: () => (
      this.choose(box.value === '' ? null : Number(box.value))) } }, option('', 'all'),
    ...this.sets.map((set, n) => option(String(n), `${n}: ${counted(missesOf(set), 'miss', 'misses')}`)));
    return [element('label', {}, 'Set ', box)];
  }

  show() {
    const { cache } = this;
    const made = cache.cache;
    this.box.replaceChildren(element('p', { class: 'summary' },
      `${plain(made.size / 1024)} KB of L1, ${counted(made.sets, 'set')} of `
      + `${counted(made.ways, 'way')}, ${counted(cache.resident_blocks, 'block')} at a time: `
      + `${plain(cache.hits)} hits of ${counted(cache.accesses, 'access', 'accesses')}, `
      + `${plain(cache.cold)} cold misses`));
    for (const note of cache.notes) this.box.append(element('p', { class: 'faint' }, note));
    const all = this.pairs();
    if (!all.length) {
      this.box.append(element('p', {}, 'No line is missed that was in the cache before.'));
      return;
    }
    if (this.sets.length) this.bars.show(this.box);
    const pairs = all.filter((p) => p.count);
    if (pairs.length) {
      const of = this.chosen === null ? '' : ` in set ${this.chosen}`;
      this.box.append(element('div', { class: 'picture', tabindex: '0', role: 'region',
        'aria-label': `Who evicts whom${of}, ${this.pane.name}` }, this.picture(all, pairs)));
    } else this.box.append(element('p', {}, 'This set misses nothing that it held before.'));
    this.legend(pairs);
    if (cache.remedies.length) {
      this.box.append(element('p', { class: 'summary' }, 'What would help'),
        element('ul', {}, ...cache.remedies.map((each) => element('li', {}, ...coded(each.change),
          `: ${plain(each.conflict + each.capacity + each.intra)} such misses left`))));
    }
    const head = ['Evicting line', 'Array', 'Missing line', 'Array', 'Type', 'Misses'];
    this.box.append(asTable('Evictions as a table', this.pane.name, head, () => pairs.map((p) => (
      [p.from.row, p.from.array, p.to.row, p.to.array, p.type, p.count]))));
    if (this.sets.length) this.box.append(this.bars.table());
  }

  legend(pairs) {
    for (const [type, [text, colour]] of Object.entries(FAULTS)) {
      const sum = pairs.filter((p) => p.type === type).reduce((n, p) => n + p.count, 0);
      if (!sum) continue;
      const dot = drawn('svg', { width: 10, height: 10, 'aria-hidden': 'true' },
        drawn('rect', { width: 10, height: 10, fill: colour }));
      this.box.append(element('p', {}, dot, ` ${counted(sum, 'miss', 'misses')} (${type}): ${text}`));
    }
  }

  /** All places that evict and miss, and the lines between them for some of the pairs. */
  picture(all, pairs) {
    const key = (place) => `${place.filename}:${place.row} ${place.array}`;
    const places = (side) => [...new Map(all.map((p) => [key(p[side]), p[side]]))];
    const shownOf = (found) => found.slice(0, MOST_ROWS).sort(([, a], [, b]) => a.row - b.row);
    const [every, others] = [places('from'), places('to')];
    const [left, right] = [shownOf(every), shownOf(others)];
    const rows = Math.max(left.length, right.length);
    const cut = Math.max(every.length, others.length) > MOST_ROWS;
    const svg = picture(620, 40 + rows * PITCH + (cut ? 20 : 0));
    svg.setAttribute('aria-label', 'Lines from what evicts to what then misses. Arrows go from one to '
      + 'the next.');
    svg.append(written(192, 16, 'evicts', true), written(428, 16, 'misses'));
    if (cut) {
      svg.append(written(310, 34 + rows * PITCH, `the ${MOST_ROWS} that matter most; the table has all`));
      svg.lastChild.setAttribute('text-anchor', 'middle');
    }
    const most = pairs[0].count;
    const at = (list, place) => {
      const row = list.findIndex(([name]) => name === key(place));
      return row < 0 ? null : 40 + (row + (rows - list.length) / 2) * PITCH;
    };
    const flows = [];
    for (const { type, from, to, count } of [...pairs].reverse()) {
      if (at(left, from) === null || at(right, to) === null) continue;
      const [y, z] = [at(left, from), at(right, to)].map((each) => each + FAULTS[type][2]);
      const line = drawn('path', { class: 'flow', d: `M200 ${y}C310 ${y} 310 ${z} 420 ${z}`,
        stroke: FAULTS[type][1], 'stroke-width': 1 + 6 * (count / most) });
      const text = `line ${from.row} (${from.array}) evicts what line ${to.row} (${to.array}) then `
        + `misses: ${counted(count, 'time')}; ${FAULTS[type][0]}`;
      line.addEventListener('pointermove', (event) => tip.show(text, event));
      line.addEventListener('pointerleave', tip.hide);
      flows.unshift([line, text]);
      svg.append(line);
    }
    byArrows(svg, flows);
    for (const [, place] of left) svg.append(this.label(place, 192, at(left, place), true));
    for (const [, place] of right) svg.append(this.label(place, 428, at(right, place), false));
    return svg;
  }

  label(place, x, y, end) {
    const source = this.pane.trace.data.sources.findIndex((s) => s.name === place.filename);
    const text = written(x, y + 3, `${place.row}: ${place.array}`.slice(0, 34), end);
    text.classList.add('place');
    text.addEventListener('click', () => this.pane.source.choose(`${source}:${place.row}`));
    text.addEventListener('pointermove', (event) => tip.show(place.source, event));
    text.addEventListener('pointerleave', tip.hide);
    return text;
  }
}

/** A text's parts, what stands in backquotes as code. */
function coded(text) {
  return text.split('`').map((part, i) => (i % 2 ? element('code', {}, part) : part));
}

/** The arrows light one line after the other, the most misses first, and tell of it. */
function byArrows(svg, flows) {
  let now = -1;
  svg.addEventListener('keydown', (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || !flows.length) return;
    event.preventDefault();
    now = Math.min(flows.length - 1, Math.max(0, now + step));
    flows.forEach(([line], number) => line.classList.toggle('lit', number === now));
    say(flows[now][1]);
  });
}
