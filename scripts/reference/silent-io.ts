import type { Io } from '../../packages/cli/src/io.ts'

/** A world in which the command line can be looked at; nothing of it is carried out. */
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
    throw new Error('No command is carried out here.')
  },
  fetch: async () => Promise.reject(new Error('No command is carried out here.')),
  self: ['mintmark'],
  lines: () => {
    throw new Error('No command is carried out here.')
  },
}
