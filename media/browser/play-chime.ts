/** Two notes each: up when a turn is done, down when something waits. In hertz. */
const NOTES = { done: [660, 880], waiting: [880, 660] } as const;
const NOTE_SECONDS = 0.12;
const VOLUME = 0.08;

let context: AudioContext | undefined;

/** Plays a short sound, made here and not loaded. Silent where the browser wants a press in the page before. */
export function playChime(about: keyof typeof NOTES): void {
	context ??= new AudioContext();
	void context.resume();
	for (const [index, frequency] of NOTES[about].entries()) playNote(context, frequency, index * NOTE_SECONDS);
}

function playNote(to: AudioContext, frequency: number, after: number): void {
	const start = to.currentTime + after;
	const gain = to.createGain();
	gain.gain.setValueAtTime(VOLUME, start);
	gain.gain.exponentialRampToValueAtTime(0.001, start + NOTE_SECONDS);
	const note = to.createOscillator();
	note.frequency.value = frequency;
	note.connect(gain).connect(to.destination);
	note.start(start);
	note.stop(start + NOTE_SECONDS);
}
