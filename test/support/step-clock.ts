/**
 * Loaded into a server process: the parent sends by how many milliseconds the time of day is to be
 * off. The monotonic clock continues, as it does when the clock of a machine is set.
 */
const timeOfDay = Date.now;
let offsetMs = 0;
Date.now = () => timeOfDay() + offsetMs;
process.on('message', (ms: number) => {
  offsetMs = ms;
});
process.channel?.unref();
