// The trace document, decoded: warps' operations, their requests, and what these cost.
// docs/trace.md states the format.

const FORMAT = 'perflint-trace';
const VERSION = 1;
const ROOM = 16e6; // steps that are kept decoded

async function inflated(text) {
  const characters = atob(text);
  const raw = new Uint8Array(characters.length);
  for (let i = 0; i < raw.length; i += 1) raw[i] = characters.charCodeAt(i);
  const stream = new Blob([raw]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** A column: deflated, zigzagged differences in groups of seven bits. */
async function column(text, count) {
  const bytes = await inflated(text);
  const out = new Float64Array(count);
  let at = 0;
  let value = 0;
  for (let i = 0; i < count; i += 1) {
    let byte = bytes[at];
    at += 1;
    if (byte < 128) { // most numbers by far
      value += byte % 2 ? -(byte + 1) / 2 : byte / 2;
    } else {
      let number = byte % 128;
      let unit = 128;
      while (byte >= 128) {
        byte = bytes[at];
        at += 1;
        number += (byte % 128) * unit;
        unit *= 128;
      }
      value += number % 2 ? -(number + 1) / 2 : number / 2;
    }
    if (Number.isNaN(value) || at > bytes.length) throw new Error('a column is cut short');
    out[i] = value;
  }
  if (at !== bytes.length) throw new Error('a column is longer than it says');
  return out;
}

function lanesOf(mask) {
  const out = [];
  for (let lane = 0; lane < 32; lane += 1) {
    if (Math.floor(mask / 2 ** lane) % 2) out.push(lane);
  }
  return out;
}

class Trace {
  /** Decode a document. Throws what is wrong with it. */
  static async of(data) {
    if (data.format !== FORMAT) throw new Error('the page holds no trace');
    if (data.version !== VERSION) {
      throw new Error(`a trace of version ${data.version}; this page reads version ${VERSION}`);
    }
    const trace = new Trace();
    trace.data = data;
    const { traced, patterns, paths, requests } = data;
    const warps = traced.blocks * data.warps_per_block;
    const names = ['warp', 'step', 'pattern', 'region', 'offset'];
    const wanted = [
      column(traced.indices, traced.blocks),
      column(patterns.lanes, patterns.count),
      column(patterns.offsets, 32 * patterns.count),
      ...['parent', 'first', 'last', 'lanes'].map((name) => column(paths[name], paths.count)),
      column(paths.leaf, warps),
      ...names.map((name) => column(requests[name], requests.count)),
    ];
    const found = await Promise.all(wanted);
    [trace.blocks, trace.lanes, trace.offsets] = found;
    [trace.parent, trace.first, trace.last, trace.active, trace.leaf] = found.slice(3);
    [trace.warp, trace.step, trace.pattern, trace.region, trace.offset] = found.slice(8);
    trace.warps = warps;
    trace.perBlock = data.warps_per_block;
    trace.index();
    return trace;
  }

  /** Which stream each request is of, and which requests are each warp's. */
  index() {
    const count = this.data.requests.count;
    this.stream = new Int32Array(count);
    let at = 0;
    this.data.streams.forEach((each, number) => {
      this.stream.fill(number, at, at + each.count);
      at += each.count;
    });
    this.begin = new Int32Array(this.warps + 1);
    for (let i = 0; i < count; i += 1) this.begin[this.warp[i] + 1] += 1;
    for (let w = 0; w < this.warps; w += 1) this.begin[w + 1] += this.begin[w];
    this.rows = new Int32Array(count);
    const next = this.begin.slice();
    for (let i = 0; i < count; i += 1) {
      this.rows[next[this.warp[i]]] = i;
      next[this.warp[i]] += 1;
    }
    this.sorted = new Uint8Array(this.warps);
    this.walked = new Map(); // what is known of warps: by leaf, and by architecture and warp
    this.shapes = new Map();
    this.known = new Map();
    this.room = ROOM;
    this.costs = new Map();
  }

  /** A warp's requests in the order in which it made them, as indices. */
  requestsOf(warp) {
    const mine = this.rows.subarray(this.begin[warp], this.begin[warp + 1]);
    if (!this.sorted[warp]) {
      mine.sort((a, b) => this.step[a] - this.step[b] || a - b);
      this.sorted[warp] = 1;
    }
    return mine;
  }

  /** What a warp executed: {position: Int32Array, lanes: Float64Array}. Warps share it. */
  stepsOf(warp) {
    const leaf = this.leaf[warp];
    let found = this.walked.get(leaf);
    if (!found) {
      const nodes = [];
      let length = 0;
      for (let node = leaf; node; node = this.parent[node]) {
        nodes.push(node);
        length += this.last[node] - this.first[node];
      }
      found = { position: new Int32Array(length), lanes: new Float64Array(length) };
      let at = 0;
      for (const node of nodes.reverse()) {
        for (let p = this.first[node]; p < this.last[node]; p += 1) {
          found.position[at] = p;
          found.lanes[at] = this.active[node];
          at += 1;
        }
      }
      this.room -= length;
      if (this.room < 0) { // many warps that all took their own way
        this.walked.clear();
        this.shapes.clear();
        this.known.clear();
        this.room = ROOM;
      }
      this.walked.set(leaf, found);
    }
    return found;
  }

  /** A request as the model takes it. */
  request(i) {
    const stream = this.data.streams[this.stream[i]];
    const pattern = this.pattern[i];
    const lanes = lanesOf(this.lanes[pattern]);
    const offsets = lanes.map((lane) => this.offset[i] + this.offsets[32 * pattern + lane]);
    return { space: stream.space, kind: stream.kind, size: stream.size, lanes, offsets };
  }

  /** Of each stream, what its requests cost on an architecture, as far as that is known. */
  knownCosts(arch) {
    let found = this.costs.get(arch.name);
    if (!found) {
      const alike = new Map();
      found = this.data.streams.map(({ space, size }) => {
        if (!alike.has(`${space} ${size}`)) alike.set(`${space} ${size}`, new Map());
        return alike.get(`${space} ${size}`);
      });
      this.costs.clear(); // of one architecture at a time
      this.costs.set(arch.name, found);
    }
    return found;
  }

  /** What a request costs on an architecture: the same for all that lie alike. */
  cost(i, arch) {
    const known = this.knownCosts(arch)[this.stream[i]];
    const shift = ((this.offset[i] % 256) + 256) % 256;
    const key = 256 * this.pattern[i] + shift;
    let found = known.get(key);
    if (!found) {
      found = costOf(this.request(i), arch);
      known.set(key, found);
    }
    return found;
  }

  /** The array that a request goes to. */
  arrayOf(i) {
    return this.data.regions[this.region[i]];
  }

  /** A traced block's place in the grid. */
  blockAt(b) {
    const [x, y] = this.data.grid;
    const at = this.blocks[b];
    return [at % x, Math.floor(at / x) % y, Math.floor(at / (x * y))];
  }

  /** `(3, 1)`: trailing zeros of one-dimensional grids left out. */
  blockName(b) {
    const [x, y, z] = this.blockAt(b);
    const [, gy, gz] = this.data.grid;
    return gz > 1 ? `(${x}, ${y}, ${z})` : gy > 1 ? `(${x}, ${y})` : `${x}`;
  }

  /** Sums over all traced requests by `source:line`, on an architecture. */
  sums(arch) {
    const out = new Map();
    const total = { moved: 0, least: 0, waves: 0, golden: 0 };
    for (let i = 0; i < this.data.requests.count; i += 1) {
      const stream = this.data.streams[this.stream[i]];
      const at = this.data.instructions[stream.instruction];
      const key = `${at.source}:${at.line}`;
      let sum = out.get(key);
      if (!sum) {
        sum = { requests: 0, count: 0, moved: 0, least: 0, shared: 0, waves: 0, golden: 0 };
        out.set(key, sum);
      }
      const cost = this.cost(i, arch);
      if (stream.space === 'shared') {
        sum.shared += 1;
        sum.waves += cost.count;
        sum.golden += cost.ideal;
        total.waves += cost.count;
      } else {
        sum.requests += 1;
        sum.count += cost.count;
        sum.moved += cost.moved;
        sum.least += cost.least;
        total.moved += cost.moved;
      }
    }
    return { lines: out, total };
  }
}
