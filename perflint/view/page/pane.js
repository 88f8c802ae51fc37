// A launch on the page: its source beside the view that is chosen, and what is chosen in it.

const LEVELS = ['grid', 'block', 'warp', 'operation', 'cache'];

class Pane {
  constructor(app, number, trace) {
    this.app = app;
    this.number = number;
    this.name = `launch ${number + 1}`;
    this.trace = trace;
    Object.assign(this, { level: 'grid', block: 0, warp: 0, step: 0, block0: 0, warp0: 0 });
    this.memoryOnly = false;
    this.weights = app.weights;
    this.source = new SourcePanel(this, app.sources[number]);
    this.views = { grid: new GridView(this), block: new BlockView(this), warp: new WarpView(this),
      operation: new OperationView(this) };
    if (trace.data.profile.cache?.faults) this.views.cache = new CacheView(this);
    this.each = Math.max(1, Math.ceil(this.longest() / 16));
    this.step = this.worst();
    this.build();
  }

  get arch() { return this.app.arch; }

  whole() { return this.block * this.trace.perBlock + this.warp; }

  /** Operations of the longest traced warp. */
  longest() {
    if (this.most === undefined) {
      const seen = new Set(this.trace.leaf);
      this.most = 0;
      for (const leaf of seen) {
        let length = 0;
        for (let node = leaf; node; node = this.trace.parent[node]) {
          length += this.trace.last[node] - this.trace.first[node];
        }
        this.most = Math.max(this.most, length);
      }
    }
    return this.most;
  }

  /** The step of the first warp at which most is wasted. */
  worst() {
    let best = 0;
    let most = -1;
    for (const i of this.trace.requestsOf(this.whole())) {
      const cost = this.trace.cost(i, this.arch);
      const waste = cost.sizes ? cost.moved - cost.least : 32 * cost.conflicts;
      if (waste > most) [best, most] = [this.trace.step[i], waste];
    }
    return best;
  }

  /** `source:line` of an operation of the warp chosen. */
  lineOf(step) {
    const at = this.trace.data.instructions[this.trace.stepsOf(this.whole()).position[step]];
    return at ? `${at.source}:${at.line}` : '';
  }

  build() {
    const { data } = this.trace;
    this.levels = element('nav', { class: 'levels', 'aria-label': `Levels, ${this.name}` });
    this.tools = element('div', { class: 'tools' });
    this.body = element('div', { class: 'body' });
    this.box = element('section', { class: 'pane', 'aria-label': `${data.profile.kernel.slice(0, 80)}, ${this.name}` },
      this.source.box, element('div', { class: 'view' }, this.levels, this.tools, this.body));
  }

  /** Change what is looked at, and show it. */
  go(change, linked = true) {
    const before = [this.block, this.warp];
    Object.assign(this, change);
    if ('block0' in change) this.views.grid.forget();
    if ('warp0' in change || 'block' in change) this.views.block.forget();
    if (this.block !== before[0] || this.warp !== before[1]) this.views.warp.forget();
    const last = this.trace.stepsOf(this.whole()).position.length - 1;
    this.step = Math.max(0, Math.min(this.step, last));
    this.show();
    if (linked) this.app.follow(this);
  }

  forget() {
    for (const view of Object.values(this.views)) view.forget();
  }

  /** The next access to memory, or the one before. */
  access(way) {
    const steps = [...new Set([...this.trace.requestsOf(this.whole())].map((i) => this.trace.step[i]))];
    const next = way > 0 ? steps.find((s) => s > this.step)
      : steps.reverse().find((s) => s < this.step);
    if (next !== undefined) {
      this.go({ step: next });
      say(this.views.warp.text({ step: next }));
    }
  }

  show() {
    const names = { grid: 'Grid', block: `Block ${this.trace.blockName(this.block)}`,
      warp: `Warp ${this.warp}`, operation: `Operation ${this.step}`, cache: 'Cache' };
    const levels = LEVELS.filter((level) => this.views[level]);
    const focused = this.levels.contains(document.activeElement)
      ? LEVELS.indexOf(document.activeElement.dataset.level) : -1;
    this.levels.replaceChildren(...levels.map((level) => element('button', { type: 'button',
      'data-level': level, 'aria-current': level === this.level ? 'true' : 'false',
      on: { click: () => this.go({ level }) } }, names[level])));
    if (focused >= 0) this.levels.children[focused].focus();
    const view = this.views[this.level];
    if (this.shownLevel !== this.level) {
      this.shownLevel = this.level;
      this.body.replaceChildren(view.scroller ? view.scroller.box : view.box);
    }
    const tool = controlsOf(this.tools).indexOf(document.activeElement);
    this.tools.replaceChildren(...this.toolbar());
    if (tool >= 0) controlsOf(this.tools)[tool]?.focus(); // what was used can be used again
    for (const old of this.body.querySelectorAll(':scope > .astable')) old.remove();
    if (view.scroller) this.body.append(view.table());
    view.show();
    this.source.mark();
  }

  toolbar() {
    const button = (text, change, hint) => element('button', { type: 'button', title: hint,
      on: { click: () => this.go(change()) } }, text);
    if (this.level === 'grid' || this.level === 'block') {
      const grid = this.level === 'grid';
      const represent = grid ? button('Make representative', () => ({ block0: this.block }), 'R')
        : button('Make representative', () => ({ warp0: this.warp }), 'R');
      const each = element('input', { type: 'number', min: '1', max: String(this.longest()),
        value: String(this.each), on: { change: (event) => this.app.setEach(Number(event.target.value)) } });
      return [represent,
        button(grid ? 'Open block' : 'Open warp', () => ({ level: grid ? 'block' : 'warp' }), 'Enter'),
        element('label', {}, 'Operations a light ', each), legend(),
        this.app.idleBox(), this.app.weightBox()];
    }
    if (this.level === 'cache') return this.views.cache.toolbar();
    const out = [
      element('button', { type: 'button', title: 'P', on: { click: () => this.access(-1) } },
        'Previous access'),
      element('button', { type: 'button', title: 'N', on: { click: () => this.access(1) } },
        'Next access')];
    if (this.level === 'warp') {
      out.push(button('Open operation', () => ({ level: 'operation' }), 'Enter'));
      const only = element('input', { type: 'checkbox', checked: this.memoryOnly });
      only.addEventListener('change', () => this.go({ memoryOnly: only.checked }));
      out.push(element('label', {}, only, ' Accesses only'));
    }
    return out;
  }
}

function controlsOf(box) {
  return [...box.querySelectorAll('button, input, select, summary')];
}

function legend() {
  const context = element('canvas', { width: '96', height: '10', 'aria-hidden': 'true' });
  const paint = context.getContext('2d');
  for (let x = 0; x < 96; x += 1) {
    paint.fillStyle = scaled(x / 95);
    paint.fillRect(x, 0, 1, 10);
  }
  return element('span', { class: 'legend' }, 'alike ', context, ' different; outlined: ended');
}
