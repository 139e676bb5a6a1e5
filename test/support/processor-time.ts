/** The processor time of `work` in ms: unlike elapsed time, it does not grow with the load of the machine. */
export function processorMsOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
