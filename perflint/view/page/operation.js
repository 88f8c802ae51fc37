// Operation view: one request of one warp, lanes at the left, what serves them at the right.
// perflint/view/request_svg.py draws the same without script.

const ROW = 14;
const LEFT = 52;
const TOP = 30;
const BOX = 9;
const COLUMNS = 132;
const LEAST = 18;
const JUMP = 10;
const FEW = 8;

function jumps(a, b) {
  return a.start === null || b.start === null || b.start > a.start + a.length;
}

/** Where transactions lie: one behind the other, lower where their addresses are higher. */
function placed(found) {
  const order = [...found].sort((a, b) => (
    (a.start === null) - (b.start === null) || (a.start || 0) - (b.start || 0)));
  let breaks = 0;
  for (let i = 1; i < order.length; i += 1) breaks += jumps(order[i - 1], order[i]) ? 1 : 0;
  const moved = order.reduce((sum, t) => sum + t.length, 0) || 1;
  const smallest = Math.min(...order.map((t) => t.length), Infinity);
  const scale = Math.max(LEAST / smallest, (32 * ROW - JUMP * breaks) / moved);
  const step = Math.max(12, Math.min(64, 640 / Math.max(1, order.length)));
  let y = 0;
  let colour = 0;
  return order.map((of, number) => {
    if (number && jumps(order[number - 1], of)) {
      y += JUMP;
      colour += 1;
    }
    const tall = of.length * scale;
    const out = { of, x: COLUMNS + number * step, y, width: Math.min(30, step - 4),
      height: tall - 2, colour: CATEGORIES[colour % CATEGORIES.length] };
    y += tall;
    return out;
  });
}

function star(x, y) {
  return drawn('polygon', { class: 'star', transform: `translate(${x} ${y})`,
    points: '0,-4.5 1.1,-1.5 4.3,-1.4 1.8,0.6 2.6,3.6 0,1.9 -2.6,3.6 -1.8,0.6 -4.3,-1.4 -1.1,-1.5' });
}

/** The pieces of a transaction, each with the lanes that use just it. */
function shares(uses) {
  const found = new Map();
  for (const [lane, first, last] of uses) {
    const key = `${first} ${last}`;
    if (!found.has(key)) found.set(key, { lanes: [], first, last });
    found.get(key).lanes.push(lane);
  }
  return [...found.values()];
}

function several(lanes) {
  return `${lanes.length === 1 ? 'lane' : 'lanes'} ${lanes.join(', ')}`;
}

class OperationView {
  constructor(pane) {
    this.pane = pane;
    this.box = element('div', { class: 'operation' });
  }

  get trace() { return this.pane.trace; }

  forget() {}

  show() {
    const { pane, trace } = this;
    const warp = pane.whole();
    const steps = trace.stepsOf(warp);
    const at = trace.data.instructions[steps.position[pane.step]];
    this.box.replaceChildren();
    if (!at) {
      this.box.append(element('p', {}, 'This warp has no such operation: it ended before.'));
      return;
    }
    const mine = [...trace.requestsOf(warp)].filter((i) => trace.step[i] === pane.step);
    const title = element('p', { class: 'what' },
      element('code', {}, at.text.replace(/\s+/g, ' ').slice(0, 400)),
      element('span', { class: 'faint' }, ` operation ${pane.step}, line ${at.line}`));
    this.box.append(title);
    const lanes = operations(trace, warp, pane.arch).lanes[pane.step];
    if (!mine.length) {
      const what = at.name.startsWith('ld.param') ? 'reads a parameter' : 'accesses no global or '
        + 'shared memory';
      this.box.append(element('p', {}, `${counted(bitsOf(lanes), 'active lane')}; it ${what}.`));
    }
    for (const i of mine) this.request(i);
  }

  request(i) {
    const { trace, pane } = this;
    const request = trace.request(i);
    const array = trace.arrayOf(i).name;
    const text = summary(trace, i, pane.arch);
    const picture = request.space === 'shared' ? this.shared(request, array)
      : this.global(request, array);
    const { svg, told } = picture;
    svg.setAttribute('aria-label', `${text}. Arrows go from lane to lane.`);
    let lane = -1;
    const light = (chosen) => {
      for (const each of svg.querySelectorAll('.lit')) each.classList.remove('lit');
      svg.classList.toggle('dimmed', chosen >= 0);
      if (chosen >= 0) for (const each of svg.querySelectorAll(`.l${chosen}`)) each.classList.add('lit');
    };
    svg.addEventListener('pointermove', (event) => {
      const of = event.target.closest('[data-told]');
      if (of) {
        tip.show(told[Number(of.dataset.told)], event);
        light(of.dataset.lane === undefined ? -1 : Number(of.dataset.lane));
      } else {
        tip.hide();
        light(-1);
      }
    });
    svg.addEventListener('pointerleave', () => {
      tip.hide();
      light(-1);
    });
    svg.addEventListener('click', (event) => {
      const of = event.target.closest('[data-told]');
      if (of) say(told[Number(of.dataset.told)]);
    });
    svg.addEventListener('keydown', (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step === undefined) return;
      event.preventDefault();
      lane = Math.min(31, Math.max(0, lane + step));
      light(lane);
      say(this.lane(request, array, lane));
    });
    this.box.append(element('p', { class: 'summary' }, text),
      element('div', { class: 'picture', tabindex: '0', role: 'region',
        'aria-label': `Picture of the request to ${array}, ${this.pane.name}`.slice(0, 99) }, svg), this.table(request, array));
  }

  /** `lane 3: 4 bytes at out + 12,288`. */
  lane(request, array, lane) {
    const at = request.lanes.indexOf(lane);
    if (at < 0) return `lane ${lane} takes no part`;
    return `lane ${lane}: ${counted(request.size, 'byte')} at ${array} + `
      + `${plain(request.offsets[at])}`;
  }

  lanes(svg, request, told, array, middle) {
    svg.append(written(14, 14, 'lane'));
    const active = new Set(request.lanes);
    for (let lane = 0; lane < 32; lane += 1) {
      svg.append(written(LEFT - 8, middle(lane) + 3, String(lane), true));
      told.push(this.lane(request, array, lane));
      svg.append(drawn('rect', { x: LEFT, y: middle(lane) - BOX / 2, width: BOX, height: BOX,
        class: `lane ${active.has(lane) ? 'on' : 'off'} l${lane}`, 'data-told': told.length - 1,
        'data-lane': lane }));
    }
  }

  global(request, array) {
    const found = placed(transactions(request, this.pane.arch.coalescing_rule));
    const height = Math.max(32 * ROW, ...found.map((p) => p.y + p.height));
    const middle = (lane) => TOP + (lane + 0.5) * (height / 32);
    const last = found[found.length - 1];
    const width = Math.max(320, last.x + last.width + (found.length <= FEW ? 80 : 12));
    const svg = picture(width, TOP + height + 12);
    const told = [];
    svg.append(written(COLUMNS, 14, heading(found.map((p) => p.of))));
    const above = [];
    for (const { of, x, y, width: wide, height: tall, colour } of found) {
      const used = new Set();
      for (const [, a, b] of of.uses) for (let k = a; k < b; k += 1) used.add(k);
      const where = of.start === null ? '' : `${array} + ${plain(of.start)}, `;
      told.push(`${where}${of.length} bytes, ${used.size} used`);
      above.push(drawn('rect', { x, y: TOP + y, width: wide, height: tall, class: 'frame',
        'data-told': told.length - 1 }));
      for (const { lanes, first, last: end } of shares(of.uses)) {
        const top = TOP + y + (first / of.length) * tall;
        const part = Math.max(1.5, ((end - first) / of.length) * tall);
        for (const lane of lanes) {
          svg.append(drawn('path', { class: `join l${lane}`, stroke: colour,
            d: `M${LEFT + BOX} ${middle(lane)}L${x} ${top + part / 2}` }));
        }
        told.push(`${several(lanes)}: ${counted(request.size, 'byte')} at ${array} + `
          + `${plain(request.offsets[request.lanes.indexOf(lanes[0])])}; bytes ${first} to `
          + `${end - 1} of ${of.length} from ${plain(of.start)}`);
        above.push(drawn('rect', { x, y: top, width: wide, height: part, fill: colour,
          class: `piece ${lanes.map((lane) => `l${lane}`).join(' ')}`,
          'data-told': told.length - 1, 'data-lane': lanes[0] }));
      }
      if (found.length <= FEW && of.start !== null) {
        above.push(written(x + wide + 4, TOP + y + tall / 2 + 3, `+${plain(of.start)}`));
      }
    }
    svg.append(...above);
    this.lanes(svg, request, told, array, middle);
    return { svg, told };
  }

  shared(request, array) {
    const rule = this.pane.arch.shared_rule;
    const found = wavefronts(request, rule);
    const banks = rule === 'cc1' ? 16 : 32;
    const middle = (lane) => TOP + (lane + 0.5) * ROW;
    const pitch = (32 * ROW) / banks;
    const step = Math.max(13, Math.min(48, 640 / Math.max(1, found.length)));
    const right = Math.max(COLUMNS + found.length * step, COLUMNS + 90);
    const svg = picture(Math.max(320, right + 40), TOP + 32 * ROW + 12);
    const told = [];
    svg.append(written(COLUMNS, 14, counted(found.length, 'wavefront')),
      written(right + 6, 14, 'bank'));
    for (let bank = 0; bank < banks; bank += 1) {
      svg.append(written(right + 6, TOP + (bank + 0.5) * pitch + 3, String(bank)));
    }
    const above = [];
    found.forEach((cells, wave) => {
      const x = COLUMNS + wave * step;
      let frame = '';
      for (let bank = 0; bank < banks; bank += 1) {
        frame += `M${x} ${TOP + bank * pitch + 1}h${step - 3}v${pitch - 2}h${3 - step}z`;
      }
      svg.append(drawn('path', { d: frame, class: 'frame' }));
      const colour = CATEGORIES[wave % CATEGORIES.length];
      cells.forEach(({ bank, word, lanes }, number) => {
        const beside = cells.filter((cell) => cell.bank === bank); // two words of one line, on Kepler
        const wide = (step - 3) / beside.length;
        const left = x + wide * beside.indexOf(cells[number]);
        const y = TOP + bank * pitch;
        for (const lane of lanes) {
          above.unshift(drawn('path', { class: `join l${lane}`, stroke: colour,
            d: `M${LEFT + BOX} ${middle(lane)}L${left} ${y + pitch / 2}` }));
        }
        told.push(`bank ${bank}, word ${plain(word)} (bytes ${plain(4 * word)} to `
          + `${plain(4 * word + 3)}), wavefront ${wave + 1} of ${found.length}: `
          + several(lanes));
        const which = lanes.map((lane) => `l${lane}`).join(' ');
        above.push(drawn('rect', { x: left, y: y + 1, width: wide, height: pitch - 2, fill: colour,
          class: `piece ${which}`, 'data-told': told.length - 1, 'data-lane': lanes[0] }));
        if (lanes.length > 1) above.push(star(left + wide / 2, y + pitch / 2));
      });
    });
    svg.append(...above);
    this.lanes(svg, request, told, array, middle);
    return { svg, told };
  }

  table(request, array) {
    const shared = request.space === 'shared';
    const head = ['Lane', 'Array', 'First byte', 'Bytes', shared ? 'Banks' : 'Sectors'];
    return asTable(`The request to ${array} as a table`.slice(0, 80), this.pane.name, head, () => request.lanes.map((lane, i) => {
      const at = request.offsets[i];
      const unit = shared ? WORD : SECTOR;
      const first = Math.floor(at / unit);
      const last = Math.floor((at + request.size - 1) / unit);
      const banks = this.pane.arch.shared_rule === 'cc1' ? 16 : 32;
      const name = (n) => (shared ? n % banks : plain(n));
      const span = first === last ? name(first) : `${name(first)} to ${name(last)}`;
      return [lane, array, plain(at), request.size, span];
    }));
  }
}

function picture(width, height) {
  const out = drawn('svg', { width, height, viewBox: `0 0 ${width} ${height}`, tabindex: 0,
    role: 'img', class: 'request' });
  out.style.minWidth = `${Math.min(width, 480)}px`; // smaller, its texts could not be read
  return out;
}

/** `4 × 32 bytes, 128 used`. */
function heading(found) {
  const sizes = new Set(found.map((t) => t.length));
  let used = 0;
  for (const { uses } of found) {
    const wanted = new Set();
    for (const [, a, b] of uses) for (let k = a; k < b; k += 1) wanted.add(k);
    used += wanted.size;
  }
  if (sizes.size === 1) return `${found.length} × ${[...sizes][0]} bytes, ${plain(used)} used`;
  const moved = found.reduce((sum, t) => sum + t.length, 0);
  return `${found.length} transactions of ${plain(moved)} bytes, ${plain(used)} used`;
}
