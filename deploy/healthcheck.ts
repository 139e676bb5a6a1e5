/** Exits with 0 when the process in this container can serve. */
const port = process.env.PORT ?? '3000';
const ready = await fetch(`http://127.0.0.1:${port}/readyz`).then(
  ({ ok }) => ok,
  () => false,
);
process.exitCode = ready ? 0 : 1;
