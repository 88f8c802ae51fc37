// Elements, colours and the few widgets that all views share. Text of others is only ever text.

const SVG = 'http://www.w3.org/2000/svg';

function element(name, attributes = {}, ...children) {
  const out = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === 'on') for (const [event, f] of Object.entries(value)) out.addEventListener(event, f);
    else if (value === true) out.setAttribute(key, '');
    else if (value !== false && value !== undefined) out.setAttribute(key, value);
  }
  out.append(...children);
  return out;
}

function drawn(name, attributes = {}, ...children) {
  const out = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) out.setAttribute(key, value);
  out.append(...children);
  return out;
}

function written(x, y, text, end) {
  return drawn('text', { x, y, ...(end ? { 'text-anchor': 'end' } : {}) }, text);
}

function counted(number, noun, plural = `${noun}s`) {
  return `${number.toLocaleString('en')} ${number === 1 ? noun : plural}`;
}

function plain(number) {
  return number.toLocaleString('en');
}

function shown(number, digits = 1) {
  return Number(number).toLocaleString('en', {
    minimumFractionDigits: digits, maximumFractionDigits: digits });
}

// Okabe and Ito's colours, which colour-blind people tell apart.
const CATEGORIES = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9'];

const SCALES = { // of a difference from 0 to 1; lightness alone tells them apart
  light: ['#e8ecf0', '#fdd49e', '#fdbb84', '#f08048', '#d7301f', '#7f0000'],
  dark: ['#2b313a', '#5c3a2e', '#96492f', '#d9653a', '#fca877', '#fff0e0'],
};

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
}

/** The colour of a difference; the scale's parts are joined in RGB. */
function scaled(value) {
  const stops = SCALES[isDark() ? 'dark' : 'light'];
  const at = clamped(value) * (stops.length - 1);
  const low = Math.min(stops.length - 2, Math.floor(at));
  const channel = (stop, i) => parseInt(stop.slice(1 + 2 * i, 3 + 2 * i), 16);
  const mixed = [0, 1, 2].map((i) => Math.round(
    channel(stops[low], i) + (at - low) * (channel(stops[low + 1], i) - channel(stops[low], i))));
  return `rgb(${mixed.join(',')})`;
}

function styleOf(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

const tip = {
  show(text, event) {
    const box = document.getElementById('tip');
    box.textContent = text;
    box.hidden = false;
    const { width, height } = box.getBoundingClientRect();
    const x = Math.min(event.clientX + 14, innerWidth - width - 8);
    const y = event.clientY + 18 + height > innerHeight ? event.clientY - height - 10
      : event.clientY + 18;
    box.style.left = `${Math.max(4, x)}px`;
    box.style.top = `${y}px`;
  },
  hide() {
    document.getElementById('tip').hidden = true;
  },
};

function say(text) {
  document.getElementById('status').textContent = text;
}

/** A canvas in a scrolling box that draws only what is seen.
 * `content` has height(width), draw(context, top, width, height), hit(x, y) and text(hit). */
class Scroller {
  constructor(content, label) {
    this.content = content;
    this.canvas = element('canvas', { 'aria-hidden': 'true' });
    this.sizer = element('div', { class: 'sizer' }, this.canvas);
    this.box = element('div', {
      class: 'scroller', tabindex: '0', role: 'application', 'aria-label': label,
    }, this.sizer);
    this.box.addEventListener('scroll', () => this.draw());
    this.canvas.addEventListener('pointermove', (event) => {
      const hit = this.hit(event);
      this.canvas.style.cursor = hit ? 'pointer' : 'default';
      if (hit) tip.show(content.text(hit), event);
      else tip.hide();
    });
    this.canvas.addEventListener('pointerleave', tip.hide);
    this.canvas.addEventListener('click', (event) => {
      const hit = this.hit(event);
      if (hit) content.choose(hit);
    });
    this.canvas.addEventListener('dblclick', (event) => {
      const hit = this.hit(event);
      if (hit) content.open(hit);
    });
    this.box.addEventListener('keydown', (event) => {
      if (content.key(event)) event.preventDefault();
    });
    new ResizeObserver(() => this.draw()).observe(this.box);
  }

  hit(event) {
    const box = this.canvas.getBoundingClientRect();
    return this.content.hit(event.clientX - box.left,
      event.clientY - box.top + this.box.scrollTop, this.width);
  }

  draw() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.now();
    });
  }

  now() {
    const width = this.box.clientWidth;
    if (!width) return;
    this.width = width;
    const whole = this.content.height(width);
    this.sizer.style.height = `${whole}px`;
    const height = Math.min(this.box.clientHeight, Math.max(whole, 1));
    const ratio = devicePixelRatio || 1;
    const { canvas } = this;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
    }
    const context = canvas.getContext('2d');
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    context.font = '10px system-ui, sans-serif';
    this.content.draw(context, this.box.scrollTop, width, height);
  }

  /** Scroll so that [top, top + height) is seen. */
  reveal(top, height) {
    const { box } = this;
    if (top < box.scrollTop) box.scrollTop = Math.max(0, top - 8);
    else if (top + height > box.scrollTop + box.clientHeight) {
      box.scrollTop = top + height - box.clientHeight + 8;
    }
  }
}

/** A table that is made when it is opened; `whose` tells it from that of another pane. */
function asTable(title, whose, head, rows) {
  const details = element('details', { class: 'astable' }, element('summary', {}, title));
  details.addEventListener('toggle', () => {
    if (!details.open || details.children.length > 1) return;
    const body = rows();
    details.append(element('div', { class: 'tablebox', tabindex: '0', role: 'region',
      'aria-label': `${title}, ${whose}` },
    element('table', {},
      element('thead', {}, element('tr', {}, ...head.map((h) => element('th', { scope: 'col' }, h)))),
      element('tbody', {}, ...body.map((row) => element('tr', {},
        ...row.map((cell) => element('td', {}, String(cell)))))))));
  });
  return details;
}
