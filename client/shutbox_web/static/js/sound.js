// Sounds of the table, made here of noise and tones: short and quiet, and none before the reader has pressed something.

/** @typedef {{at: number, length: number, loud: number, pitch: number}} Knock seconds, and hertz */

/** @type {AudioContext | null} */
let context = null;
/** @type {AudioBuffer | null} */
let hiss = null;

/** Browsers let a page sound from a press on; where there is no Web Audio, the table stays silent. */
function wake() {
  try {
    context ??= new AudioContext();
    if (context.state === "suspended") context.resume().catch(() => {});
  } catch {
    context = null;
  }
}

for (const press of ["pointerdown", "keydown"]) document.addEventListener(press, wake, { capture: true });

/** @type {(dice: number) => void} Dice that roll over felt and wood and come to rest within about half a second. */
export function rattle(dice) {
  for (let die = 0; die < dice; die++) {
    for (const [bounce, at] of [0, 0.16, 0.27, 0.35, 0.4].entries()) {
      const late = 0.045 * die + 0.02 * Math.random();
      knock({ at: at + late, length: 0.05, loud: 0.16 / (1 + bounce / 2), pitch: 1500 + 900 * Math.random() });
    }
  }
}

/** @type {(tiles: number) => void} Wooden tiles that fall shut, one shortly after the other. */
export function clack(tiles) {
  for (let tile = 0; tile < tiles; tile++) {
    knock({ at: 0.07 * tile, length: 0.09, loud: 0.3, pitch: 620 - 40 * tile });
    tone({ at: 0.07 * tile, length: 0.08, loud: 0.08, pitch: 210 - 12 * tile });
  }
}

/** The box is shut: three tones of one chord. */
export function chord() {
  for (const [place, pitch] of [261.6, 329.6, 392].entries()) {
    tone({ at: 0.35 + 0.09 * place, length: 0.9, loud: 0.07, pitch });
  }
}

/** @type {(knock: Knock) => void} A burst of noise around a pitch. */
function knock(knock) {
  if (!context) return;
  const source = context.createBufferSource();
  source.buffer = hiss ??= noise(context);
  const filter = context.createBiquadFilter();
  filter.type = "bandpass";
  filter.frequency.value = knock.pitch;
  filter.Q.value = 1.4;
  source.connect(filter);
  fade(context, filter, source, knock);
}

/** @type {(tone: Knock) => void} */
function tone(tone) {
  if (!context) return;
  const source = context.createOscillator();
  source.type = "triangle";
  source.frequency.value = tone.pitch;
  fade(context, source, source, tone);
}

/** @type {(context: AudioContext, from: AudioNode, source: AudioScheduledSourceNode, knock: Knock) => void} */
function fade(context, from, source, { at, length, loud }) {
  const gain = context.createGain();
  const start = context.currentTime + at;
  gain.gain.setValueAtTime(0, start);
  gain.gain.linearRampToValueAtTime(loud, start + 0.004);
  gain.gain.exponentialRampToValueAtTime(0.0005, start + length);
  from.connect(gain).connect(context.destination);
  source.start(start);
  source.stop(start + length);
}

/** @type {(context: AudioContext) => AudioBuffer} */
function noise(context) {
  const buffer = context.createBuffer(1, context.sampleRate / 4, context.sampleRate);
  const samples = buffer.getChannelData(0);
  for (let place = 0; place < samples.length; place++) samples[place] = 2 * Math.random() - 1;
  return buffer;
}
