// What one request costs: the transactions or wavefronts that serve it, under an architecture's
// rules. perflint/view/one_request.py says the same in Python; tests hold both against the simulator.
// A request is {space, size, lanes: [ascending], offsets: [bytes]}.

const SECTOR = 32;
const LINE = 128;
const WORD = 4;
const HALF = 16;
const PACKED = { 4: 64, 8: 128, 16: 256 }; // 1.0 and 1.1: a half-warp's segment by the words' size

function floorTo(value, unit) {
  return Math.floor(value / unit) * unit;
}

function pairsOf(request) {
  return request.lanes.map((lane, i) => [lane, request.offsets[i]]);
}

function parts(pairs, count) {
  const width = 32 / count;
  const out = Array.from({ length: count }, () => []);
  for (const pair of pairs) out[Math.floor(pair[0] / width)].push(pair);
  return out;
}

function usesOf(pairs, size, start, length) {
  const out = [];
  for (const [lane, at] of pairs) {
    const low = Math.max(at, start);
    const high = Math.min(at + size, start + length);
    if (low < high) out.push([lane, low - start, high - start]);
  }
  return out;
}

function granules(pairs, size, granule) {
  const touched = new Set();
  for (const [, at] of pairs) {
    for (let piece = floorTo(at, granule); piece < at + size; piece += granule) touched.add(piece);
  }
  return [...touched].sort((a, b) => a - b).map((start) => (
    { start, length: granule, get uses() { return usesOf(pairs, size, start, granule); } }));
}

function halfWarp10(half, size) {
  const segment = PACKED[size];
  const bases = new Set(half.map(([lane, at]) => at - (lane % HALF) * size));
  const [base] = bases;
  if (segment !== undefined && bases.size === 1 && floorTo(base, segment) === base) {
    const length = size === 16 ? segment / 2 : segment;
    const out = [];
    for (let start = base; start < base + segment; start += length) {
      out.push({ start, length, uses: usesOf(half, size, start, length) });
    }
    return out;
  }
  const wanted = new Map(half);
  const first = floorTo(half[0][0], HALF);
  return Array.from({ length: HALF }, (_, i) => {
    const at = wanted.get(first + i);
    if (at === undefined) return { start: null, length: SECTOR, uses: [] };
    const start = floorTo(at, SECTOR);
    return { start, length: SECTOR, uses: usesOf([[first + i, at]], size, start, SECTOR) };
  });
}

function halfWarp12(half, size) {
  const whole = { 1: 32, 2: 64 }[size] || 128;
  const out = [];
  let left = half;
  while (left.length) {
    let start = floorTo(left[0][1], whole);
    const segment = start;
    const now = left.filter(([, at]) => floorTo(at, whole) === segment);
    const low = Math.min(...now.map(([, at]) => at));
    const high = Math.max(...now.map(([, at]) => at)) + size;
    let length = whole;
    while (length > SECTOR) {
      const middle = start + length / 2;
      if (low >= middle && high > middle) start = middle;
      else if (high > middle) break;
      length /= 2;
    }
    out.push({ start, length, uses: usesOf(now, size, start, length) });
    left = left.filter(([, at]) => floorTo(at, whole) !== segment);
  }
  return out;
}

/** [{start, length, uses: [[lane, first byte, behind the last]]}] of a global request. */
function transactions(request, rule) {
  const pairs = pairsOf(request);
  if (rule === 'sectors32') return granules(pairs, request.size, SECTOR);
  if (rule === 'lines128') {
    const phases = { 8: 2, 16: 4 }[request.size] || 1;
    return parts(pairs, phases).flatMap((part) => granules(part, request.size, LINE));
  }
  const half = { cc10: halfWarp10, cc12: halfWarp12 }[rule];
  return parts(pairs, 2).filter((part) => part.length).flatMap((part) => half(part, request.size));
}

function pairsAgree(pairs, distance) {
  const at = new Map(pairs);
  return pairs.every(([lane, offset]) => (at.get(lane ^ distance) ?? offset) === offset);
}

function phase(pairs, size, rule) {
  const banks = new Map(); // bank: line: word: lanes
  for (const [lane, at] of pairs) {
    for (let word = Math.floor(at / WORD); word * WORD < at + size; word += 1) {
      const line = rule === 'cc3' ? Math.floor(word / 64) * 32 + (word % 32) : word;
      const bank = line % 32;
      if (!banks.has(bank)) banks.set(bank, new Map());
      const lines = banks.get(bank);
      if (!lines.has(line)) lines.set(line, new Map());
      const words = lines.get(line);
      if (!words.has(word)) words.set(word, []);
      words.get(word).push(lane);
    }
  }
  const order = [...banks.keys()].sort((a, b) => a - b);
  const turns = Math.max(0, ...order.map((bank) => banks.get(bank).size));
  return Array.from({ length: turns }, (_, turn) => order.flatMap((bank) => {
    const words = [...banks.get(bank).values()][turn];
    return words ? [...words].map(([word, lanes]) => ({ bank, word, lanes })) : [];
  }));
}

function halfWarpSteps(half, part) {
  let left = half.map(([lane, at]) => [lane, Math.floor((at + part * WORD) / WORD)]);
  const out = [];
  while (left.length) {
    const load = new Map();
    for (const [, word] of left) load.set(word % HALF, (load.get(word % HALF) || 0) + 1);
    const busiest = Math.max(...load.values());
    let best = -1;
    let chosen = 0;
    for (const [, word] of left) {
      const wanted = left.filter(([, other]) => other === word).length;
      if (load.get(word % HALF) === busiest && wanted > best) [best, chosen] = [wanted, word];
    }
    const lanes = left.filter(([, word]) => word === chosen).map(([lane]) => lane);
    const cells = new Map([[chosen % HALF, { bank: chosen % HALF, word: chosen, lanes }]]);
    for (const [lane, word] of left) {
      const bank = word % HALF;
      if (!cells.has(bank)) cells.set(bank, { bank, word, lanes: [lane] });
    }
    const served = new Set([...cells.values()].flatMap((cell) => cell.lanes));
    out.push([...cells.values()].sort((a, b) => a.bank - b.bank));
    left = left.filter(([lane]) => !served.has(lane));
  }
  return out;
}

/** [[{bank, word, lanes}]] of a shared request: the cells that each wavefront serves. */
function wavefronts(request, rule) {
  const pairs = pairsOf(request);
  const out = [];
  if (rule === 'cc1') {
    for (let part = 0; part < Math.max(1, request.size / WORD); part += 1) {
      for (const half of parts(pairs, 2)) out.push(...halfWarpSteps(half, part));
    }
    return out;
  }
  let phases = Math.max(1, request.size / (rule === 'cc3' ? 2 * WORD : WORD));
  phases = Math.max(1, Math.floor(phases));
  const merges = rule === 'cc5' && phases > 1 && request.kind !== 'store';
  if (merges && (pairsAgree(pairs, 1) || pairsAgree(pairs, 2))) phases /= 2;
  for (const part of parts(pairs, phases)) out.push(...phase(part, request.size, rule));
  return out;
}

/** Wavefronts that the same lanes would take without a conflict. */
function goldenWavefronts(request, rule, measured) {
  const pairs = pairsOf(request);
  const halves = rule === 'cc1';
  const unit = rule === 'cc3' ? 2 * WORD : WORD;
  const phases = halves ? 2 : Math.max(1, Math.floor(request.size / unit));
  const times = halves ? Math.max(1, Math.floor(request.size / WORD)) : 1;
  const golden = times * parts(pairs, phases).filter((part) => part.length).length;
  return Math.min(golden, measured);
}

/** Figures of a request: what is moved, what would do, and each transaction's size. */
function costOf(request, arch) {
  if (request.space === 'shared') {
    const measured = wavefronts(request, arch.shared_rule).length;
    const golden = goldenWavefronts(request, arch.shared_rule, measured);
    return { count: measured, ideal: golden, conflicts: measured - golden, sizes: null };
  }
  const found = transactions(request, arch.coalescing_rule);
  const sizes = found.map((t) => t.length);
  const asked = request.lanes.length * request.size;
  const moved = sizes.reduce((sum, n) => sum + n, 0);
  const least = arch.coalescing_rule === 'sectors32' ? Math.ceil(asked / SECTOR) * SECTOR : asked;
  return { count: found.length, sizes, asked, moved, least, conflicts: 0 };
}
