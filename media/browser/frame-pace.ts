/** A frame that costs less than this needs no rest after it. */
const CHEAP_FRAME_MS = 8;
/** After a costlier frame the page rests this many times as long, so that typing gets most of the time. */
const REST_FACTOR = 2;
const MAX_REST_MS = 500;

/** Returns a function that runs a callback before the next paint, or before a later one after a costly frame. */
export function createFramePace(): (draw: () => void) => void {
	let restUntil = 0;
	const drawInFrame = (draw: () => void): void => {
		requestAnimationFrame(() => {
			const start = performance.now();
			draw();
			runAfterPaint(() => {
				const now = performance.now();
				const cost = now - start;
				restUntil = cost > CHEAP_FRAME_MS ? now + Math.min(cost * REST_FACTOR, MAX_REST_MS) : now;
			});
		});
	};
	return (draw) => {
		const rest = restUntil - performance.now();
		if (rest > 0) setTimeout(drawInFrame, rest, draw);
		else drawInFrame(draw);
	};
}

/** A message that is posted during a frame arrives after that frame has been laid out and painted. */
function runAfterPaint(measure: () => void): void {
	const { port1, port2 } = new MessageChannel();
	port1.onmessage = () => {
		port1.close();
		measure();
	};
	port2.postMessage(null);
}
