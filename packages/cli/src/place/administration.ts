import { createAdministration, type Administration, type AdminEvent } from '@mintmark/admin'

import type { Io } from '../io.ts'
import { withStorage } from './open-storage.ts'
import type { ConfigOptions } from './place-options.ts'

/**
 * Administers in the operator's name: each act stands in the audit log, as it does when it comes over HTTP. What the host alone
 * knows, its custom fields and its last administrators, is not known here.
 * @throws AdminError, and as `withStorage`.
 */
export const withAdministration = <T>(
  options: ConfigOptions,
  io: Io,
  work: (administration: Administration) => Promise<T>,
): Promise<T> =>
  withStorage(options, io, ({ storage }) => {
    const administrations = createAdministration({ storage, clock: io.clock, onEvent: reportUnlogged(io) })
    return work(administrations.as({ kind: 'host', id: `cli:${io.operator}` }))
  })

/** An act that is not in the log is told here, and nowhere else. */
const reportUnlogged = (io: Io) => (event: AdminEvent) => {
  if ('logged' in event && event.logged !== 'whole')
    io.err(`mintmark: ${event.type} is done, and is not in the audit log as a whole.`)
}
