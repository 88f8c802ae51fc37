// The page: which launches are shown, on which GPU. All is drawn of the traces that the page holds.

class App {
  constructor(traces) {
    this.traces = traces;
    this.weights = { ...WEIGHTS };
    this.architectures = traces[0].data.architectures;
    const own = traces[0].data.profile.arch;
    this.arch = this.architectures.find((a) => a.name === own) || this.architectures[0];
    this.panes = [];
    this.made = new Map();
    this.main = element('main', { id: 'panes' });
    this.plain = document.getElementById('static');
    this.sources = [...this.plain.querySelectorAll('section.source')];
    const pair = document.body.dataset.compare !== undefined && traces.length > 1;
    this.plain.replaceWith(this.main);
    document.body.classList.add('drawn');
    try {
      this.choose(0, pair ? 1 : null);
      this.controls();
    } catch (error) {
      this.main.replaceWith(this.plain);
      document.body.classList.remove('drawn');
      throw error;
    }
  }

  pane(number) {
    if (!this.made.has(number)) this.made.set(number, new Pane(this, number, this.traces[number]));
    return this.made.get(number);
  }

  /** Show a run, and beside it another one or none. */
  choose(first, second) {
    this.panes = [this.pane(first), ...(second === null || second === first ? [] : [this.pane(second)])];
    this.main.classList.toggle('pair', this.panes.length > 1);
    this.main.replaceChildren(...this.panes.map((pane) => pane.box));
    const { profile, traced } = this.traces[first].data;
    const named = document.getElementById('kernel');
    named.textContent = this.panes.map(
      (pane) => pane.trace.data.profile.launch.slice(0, 300)).join('  |  ');
    named.title = named.textContent;
    const notes = [...new Set(this.panes.flatMap((pane) => pane.trace.data.traced.notes))];
    document.getElementById('notes').textContent = [...(profile.stopped ? [profile.stopped] : []),
      ...notes].join('. ');
    document.getElementById('notes').hidden = !notes.length && !profile.stopped && !traced.cut;
    for (const pane of this.panes) {
      pane.source.figures(this.arch);
      pane.shownLevel = '';
      pane.go({}, false);
    }
  }

  controls() {
    const bar = document.getElementById('controls');
    const select = (label, options, chosen, change) => {
      const box = element('select', {}, ...options.map(([value, text]) => element('option',
        { value, selected: value === chosen }, text)));
      box.addEventListener('change', () => change(box.value));
      return element('label', {}, `${label} `, box);
    };
    const names = this.traces.map((t, i) => [String(i), t.data.profile.launch.slice(0, 60)]);
    const pair = document.body.dataset.compare !== undefined && this.traces.length > 1;
    if (this.traces.length > 1) {
      let [first, second] = [0, pair ? 1 : null];
      bar.append(select('Launch', names, '0', (value) => {
        first = Number(value);
        this.choose(first, second);
      }), select('beside', [['', 'none'], ...names], pair ? '1' : '', (value) => {
        second = value === '' ? null : Number(value);
        this.choose(first, second);
      }));
    }
    bar.append(select('GPU', this.architectures.map((a) => [a.name, `${a.name} (${a.chip})`]),
      this.arch.name, (value) => this.setArch(value)));
    const theme = element('button', { type: 'button' }, 'Theme');
    theme.addEventListener('click', () => {
      document.documentElement.dataset.theme = isDark() ? 'light' : 'dark';
      palette.dark = null;
      for (const pane of this.panes) pane.show();
    });
    bar.append(theme);
  }

  setArch(name) {
    this.arch = this.architectures.find((a) => a.name === name);
    for (const pane of this.made.values()) pane.forget();
    for (const pane of this.panes) {
      pane.source.figures(this.arch);
      pane.show();
    }
    say(`${name}: transactions and banks as this GPU has them`);
  }

  setEach(each) {
    for (const pane of this.made.values()) {
      pane.each = Math.max(1, Math.min(pane.longest(), Math.floor(each) || 1));
      pane.forget();
    }
    for (const pane of this.panes) pane.show();
  }

  /** Draw the lights anew. */
  again() {
    for (const pane of this.made.values()) pane.forget();
    for (const pane of this.panes) pane.views[pane.level].show();
  }

  /** Whether equation (2) takes lanes that are idle in both warps for a difference, as printed. */
  idleBox() {
    const idle = element('input', { type: 'checkbox', checked: this.weights.idleAlike });
    idle.addEventListener('change', () => {
      this.weights.idleAlike = idle.checked;
      this.again();
    });
    return element('label', {
      title: 'Equation (2) of the paper takes lanes that are idle in both warps for a difference.',
    }, idle, ' Lanes idle in both are alike');
  }

  weightBox() {
    const names = { instruction: 'Instruction', threads: 'Threads', conflicts: 'Shared conflicts',
      global: 'Global bytes' };
    const inputs = Object.entries(names).map(([key, text]) => {
      const input = element('input', { type: 'number', min: '0', step: 'any',
        value: String(this.weights[key]) });
      input.addEventListener('change', () => {
        const value = Number(input.value);
        if (value >= 0 && Number.isFinite(value)) this.weights[key] = value;
        this.again();
      });
      return element('label', {}, `${text} `, input);
    });
    const box = element('details', { class: 'weights' }, element('summary', {}, 'Weights'), ...inputs);
    box.open = Boolean(this.weightsOpen);
    box.addEventListener('toggle', () => { this.weightsOpen = box.open; });
    return box;
  }

  /** What is chosen in one pane is chosen in the other, aligned by operation. */
  follow(pane) {
    for (const other of this.panes) {
      if (other === pane) continue;
      const block = Math.min(pane.block, other.trace.blocks.length - 1);
      const warp = Math.min(pane.warp, other.trace.perBlock - 1);
      const change = { level: other.views[pane.level] ? pane.level : other.level, block, warp, memoryOnly: pane.memoryOnly,
        block0: Math.min(pane.block0, other.trace.blocks.length - 1),
        warp0: Math.min(pane.warp0, other.trace.perBlock - 1) };
      other.go({ ...change, step: aligned(pane, other, block * other.trace.perBlock + warp) }, false);
    }
  }
}

/** The step of another run's warp that does what the chosen one does: its n-th access of a kind. */
function aligned(pane, other, warp) {
  const kindOf = (trace, i) => {
    const stream = trace.data.streams[trace.stream[i]];
    return `${stream.space} ${stream.kind}`;
  };
  const mine = [...pane.trace.requestsOf(pane.whole())];
  const at = mine.find((i) => pane.trace.step[i] === pane.step);
  if (at === undefined) return Math.min(pane.step, other.trace.stepsOf(warp).position.length - 1);
  const kind = kindOf(pane.trace, at);
  const alike = mine.filter((i) => kindOf(pane.trace, i) === kind);
  const theirs = [...other.trace.requestsOf(warp)].filter((i) => kindOf(other.trace, i) === kind);
  if (!theirs.length) return other.step;
  return other.trace.step[theirs[Math.min(alike.indexOf(at), theirs.length - 1)]];
}

async function start() {
  const told = document.getElementById('fallback');
  try {
    if (typeof DecompressionStream === 'undefined') {
      throw new Error('this browser has no DecompressionStream');
    }
    if (!document.createElement('canvas').getContext?.('2d')) {
      throw new Error('this browser has no canvas');
    }
    const traces = [];
    for (const each of document.querySelectorAll('script.trace')) {
      const text = new TextDecoder().decode(await inflated(each.textContent));
      traces.push(await Trace.of(JSON.parse(text)));
    }
    if (!traces.length) throw new Error('the page holds no trace');
    window.perflint = { app: new App(traces), transactions, wavefronts, costOf };
    told.hidden = true;
  } catch (error) {
    told.hidden = false;
    told.textContent = `The pictures cannot be shown: ${error.message}. The tables below stand.`;
  }
}

start();
