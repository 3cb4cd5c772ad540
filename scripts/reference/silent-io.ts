import type { Io } from '../../packages/cli/src/io.ts'

/** An `Io` with which the commands can be inspected but not run. */
export const silentIo: Io = {
  out: () => undefined,
  err: () => undefined,
  progress: undefined,
  terminal: undefined,
  input: async function* () {},
  env: {},
  cwd: '.',
  operator: 'nobody',
  clock: () => {
    throw new Error('Commands cannot be run with silentIo.')
  },
  sleep: () => Promise.reject(new Error('Commands cannot be run with silentIo.')),
  fetch: async () => Promise.reject(new Error('Commands cannot be run with silentIo.')),
  self: ['mintmark'],
  lines: () => {
    throw new Error('Commands cannot be run with silentIo.')
  },
}
