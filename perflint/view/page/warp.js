// Warp view: a warp's operations one below the other, with their threads and what memory moved.

const WINDOW = 100; // operations over which a thread's share is taken
const PLAIN = 17; // heights of a row
const ACCESS = 42;
const THREAD = 7;
const MARGIN = 74; // where texts and threads begin
const THREADS = 32 * THREAD;

class WarpView {
  constructor(pane) {
    this.pane = pane;
    this.scroller = new Scroller(this, `Operations of the warp, ${pane.name}. Arrows choose one, Enter opens it, `
      + 'N and P go to the next and previous access to memory.');
    this.key0 = '';
  }

  get trace() { return this.pane.trace; }

  /** The rows of the warp chosen: their steps, requests and places. */
  rows() {
    const { trace, pane } = this;
    const warp = pane.whole();
    const key = `${warp} ${pane.memoryOnly}`;
    if (this.key0 === key) return this.cached;
    const steps = trace.stepsOf(warp);
    const requests = new Map();
    for (const i of trace.requestsOf(warp)) {
      const step = trace.step[i];
      if (requests.has(step)) requests.get(step).push(i);
      else requests.set(step, [i]);
    }
    const list = [];
    for (let step = 0; step < steps.position.length; step += 1) {
      if (!pane.memoryOnly || requests.has(step)) list.push(step);
    }
    const top = new Float64Array(list.length + 1);
    list.forEach((step, at) => { top[at + 1] = top[at] + (requests.has(step) ? ACCESS : PLAIN); });
    this.key0 = key;
    this.cached = { steps, requests, list, top };
    return this.cached;
  }

  forget() { this.key0 = ''; }

  height() {
    const { top } = this.rows();
    return top[top.length - 1] + 6;
  }

  /** The row at a height. */
  at(y) {
    const { top, list } = this.rows();
    let low = 0;
    let high = list.length;
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (top[middle] <= y) low = middle;
      else high = middle;
    }
    return low;
  }

  draw(context, top, width, height) {
    const { steps, requests, list, top: places } = this.rows();
    const { instructions } = this.trace.data;
    const ops = operations(this.trace, this.pane.whole(), this.pane.arch);
    const ink = styleOf('--ink');
    const faint = styleOf('--faint');
    const line = styleOf('--line');
    const chosenGround = styleOf('--chosen');
    const sameLine = styleOf('--same');
    const focus = this.pane.lineOf(this.pane.step);
    for (let row = this.at(top); row < list.length && places[row] < top + height; row += 1) {
      const step = list[row];
      const y = places[row] - top;
      const tall = places[row + 1] - places[row];
      const instruction = instructions[steps.position[step]];
      const lanes = ops.lanes[step];
      if (step === this.pane.step || `${instruction.source}:${instruction.line}` === focus) {
        context.fillStyle = step === this.pane.step ? chosenGround : sameLine;
        context.fillRect(0, y, width, tall);
      }
      context.fillStyle = faint;
      context.textAlign = 'right';
      context.fillText(String(step), 30, y + 12);
      context.fillText(String(instruction.line), 64, y + 12);
      context.textAlign = 'left';
      context.font = '11px ui-monospace, monospace';
      context.fillStyle = lanes ? ink : faint;
      const text = instruction.text.replace(/\s+/g, ' ').slice(0, 200);
      if (!requests.has(step)) {
        context.strokeStyle = lanes ? ink : line;
        context.strokeRect(MARGIN + 0.5, y + 4.5, 7, 7);
        context.fillText(text, MARGIN + 14, y + 12);
      } else {
        context.fillText(text, MARGIN, y + 12);
        this.threads(context, step, lanes, y + 20);
        let x = MARGIN + THREADS + 12;
        const share = (width - x - 8) / requests.get(step).length;
        for (const i of requests.get(step)) {
          this.memory(context, i, x, y + 19, share - 6);
          x += share;
        }
      }
      context.font = '10px system-ui, sans-serif';
      context.fillStyle = line;
      context.fillRect(0, y + tall - 1, width, 0.5);
    }
  }

  /** How often each lane was active in the last operations, from 0 to 1. */
  shares(step) {
    const { lanes } = operations(this.trace, this.pane.whole(), this.pane.arch);
    const first = Math.max(0, step - WINDOW + 1);
    const out = new Float64Array(32);
    for (let s = first; s <= step; s += 1) {
      const mask = lanes[s];
      for (let lane = 0; lane < 32; lane += 1) {
        out[lane] += (mask >>> lane) & 1;
      }
    }
    return out.map((n) => n / (step - first + 1));
  }

  threads(context, step, lanes, y) {
    const ink = styleOf('--ink');
    const idle = styleOf('--line');
    this.shares(step).forEach((share, lane) => {
      const side = 2 + 4 * share;
      context.fillStyle = (lanes >>> lane) & 1 ? ink : idle;
      context.fillRect(MARGIN + lane * THREAD + (6 - side) / 2, y + (14 - side) / 2, side, side);
    });
  }

  memory(context, i, x, y, room) {
    const request = this.trace.request(i);
    const faint = styleOf('--faint');
    context.strokeStyle = faint;
    context.lineWidth = 1;
    if (request.space === 'shared') {
      const rule = this.pane.arch.shared_rule;
      const found = wavefronts(request, rule);
      const banks = rule === 'cc1' ? 16 : 32;
      const side = Math.max(3, Math.min(10, (room - 26) / banks));
      for (let bank = 0; bank < banks; bank += 1) {
        context.strokeRect(x + bank * side + 0.5, y + 0.5, side - 1, 15);
      }
      found.forEach((cells, wave) => {
        context.fillStyle = CATEGORIES[wave % CATEGORIES.length];
        for (const { bank } of cells) {
          const tall = 14 / found.length;
          context.fillRect(x + bank * side + 1, y + 1 + wave * tall, side - 1.5, tall);
        }
      });
      context.fillStyle = faint;
      context.fillText(`${found.length}×`, x + banks * side + 4, y + 12);
      return;
    }
    const found = placed(transactions(request, this.pane.arch.coalescing_rule));
    const bytes = found.reduce((sum, p) => sum + p.of.length, 0);
    const scale = Math.min(0.45, (room - 26 - 2 * found.length) / bytes);
    let at = x;
    for (const { of, colour } of found) {
      const wide = Math.max(2, of.length * scale);
      context.strokeRect(at + 0.5, y + 0.5, wide, 15);
      context.fillStyle = colour;
      for (const [first, last] of joined(of.uses)) {
        const from = (first / of.length) * wide;
        context.fillRect(at + 0.5 + from, y + 1, Math.max(0.7, ((last - first) / of.length) * wide),
          14);
      }
      at += wide + 2;
    }
    context.fillStyle = faint;
    context.fillText(`${found.length}×`, at + 3, y + 12);
  }

  hit(x, y) {
    const { list, top } = this.rows();
    if (!list.length || y < 0 || y >= top[list.length]) return null;
    const row = this.at(y);
    const lane = Math.floor((x - MARGIN) / THREAD);
    const low = y - top[row] > 18;
    return { step: list[row], ...(low && lane >= 0 && lane < 32 ? { lane } : {}) };
  }

  text({ step, lane }) {
    const { steps, requests } = this.rows();
    const at = this.trace.data.instructions[steps.position[step]];
    const said = [`operation ${step}, line ${at.line}: ${at.text.replace(/\s+/g, ' ')}`];
    if (lane !== undefined && requests.has(step)) {
      const share = Math.round(100 * this.shares(step)[lane]);
      said.push(`lane ${lane}: active in ${share} % of the last ${Math.min(WINDOW, step + 1)}`);
    }
    for (const i of requests.get(step) || []) said.push(summary(this.trace, i, this.pane.arch));
    return said.join('\n').slice(0, 600);
  }

  choose({ step }) {
    this.pane.go({ step });
    const { requests } = this.rows();
    if (requests.has(step)) say(this.text({ step }));
  }

  open({ step }) { this.pane.go({ step, level: 'operation' }); }

  key(event) {
    const { list, requests } = this.rows();
    const now = list.indexOf(this.pane.step);
    const go = (row) => {
      const step = list[Math.min(list.length - 1, Math.max(0, row))];
      if (step === undefined) return;
      this.pane.go({ step });
      say(this.text({ step }));
    };
    if (event.key === 'ArrowDown') go(now + 1);
    else if (event.key === 'ArrowUp') go(now - 1);
    else if (event.key === 'PageDown') go(now + 20);
    else if (event.key === 'PageUp') go(now - 20);
    else if (event.key === 'Home') go(0);
    else if (event.key === 'End') go(list.length - 1);
    else if (event.key === 'Enter') this.pane.go({ level: 'operation' });
    else if (event.key === 'n') this.pane.access(1);
    else if (event.key === 'p') this.pane.access(-1);
    else return false;
    return requests !== undefined;
  }

  show() {
    const { list, top } = this.rows();
    const row = list.indexOf(this.pane.step);
    this.scroller.now();
    if (row >= 0) this.scroller.reveal(top[row], top[row + 1] - top[row]);
    this.scroller.draw();
  }

  table() {
    const head = ['Operation', 'Line', 'Instruction', 'Lanes', 'Array', 'Served by', 'Moved'];
    return asTable('Accesses to memory as a table', this.pane.name, head, () => {
      const { requests, steps } = this.rows();
      const out = [];
      for (const [step, found] of requests) {
        const at = this.trace.data.instructions[steps.position[step]];
        for (const i of found.slice(0, Math.max(0, 2000 - out.length))) {
          const request = this.trace.request(i);
          const cost = this.trace.cost(i, this.pane.arch);
          const unit = request.space === 'shared' ? 'wavefront' : 'transaction';
          out.push([step, at.line, at.name, request.lanes.length, this.trace.arrayOf(i).name,
            counted(cost.count, unit), cost.sizes ? counted(cost.moved, 'byte') : '']);
        }
      }
      return out;
    });
  }
}

/** The used stretches of a transaction, those that touch as one. */
function joined(uses) {
  const out = [];
  for (const [, first, last] of [...uses].sort((a, b) => a[1] - b[1])) {
    const before = out[out.length - 1];
    if (before && first <= before[1]) before[1] = Math.max(before[1], last);
    else out.push([first, last]);
  }
  return out;
}

/** `store of 4 bytes a lane to out: 32 sectors, 128 of 1,024 bytes used`. */
function summary(trace, i, arch) {
  const request = trace.request(i);
  const cost = trace.cost(i, arch);
  const way = { load: 'load from', store: 'store to', atomic: 'atomic on' }[request.kind];
  const what = `${way} ${trace.arrayOf(i).name}, ${counted(request.lanes.length, 'lane')} of `
    + `${counted(request.size, 'byte')}`;
  if (request.space === 'shared') {
    const conflicts = cost.conflicts ? `, ${cost.ideal} without conflicts` : ', no conflict';
    return `${what}: ${counted(cost.count, 'wavefront')}${conflicts}`;
  }
  const unit = arch.coalescing_rule === 'sectors32' ? 'sector' : 'transaction';
  return `${what}: ${counted(cost.count, unit)}, ${plain(usedOf(request))} of `
    + `${counted(cost.moved, 'byte')} used`;
}

/** Bytes that some lane asked for, each counted once. */
function usedOf(request) {
  const wanted = new Set();
  for (const at of request.offsets) for (let k = 0; k < request.size; k += 1) wanted.add(at + k);
  return wanted.size;
}
