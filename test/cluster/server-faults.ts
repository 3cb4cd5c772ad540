import { existsSync, globSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { startServerProcess, type ServerProcess } from '../processes/server-processes.ts'
import type { DatabaseAddress } from '../processes/server-config.ts'
import type { ServerFaults } from './postgres-faults.ts'

const [libfaketime] = globSync('/usr/lib/*/faketime/libfaketime.so.1')

/**
 * Starts servers, and returns their faults. The clock of the last server can be changed if the Debian package `faketime` is
 * installed.
 */
export async function startServersWithFaults(
  database: DatabaseAddress,
  { count, folder }: { readonly count: number; readonly folder: string },
): Promise<{ readonly servers: ServerProcess[]; readonly faults: ServerFaults }> {
  const clock = join(folder, 'clock')
  const setClock = (offset: string): Promise<void> => writeFile(clock, `${offset}\n`)
  await setClock('+0')
  const environments = Array.from({ length: count }, (_, index) => (index === count - 1 ? withClock(clock) : {}))
  const servers = await Promise.all(environments.map((environment) => startServerProcess(database, { environment })))

  return {
    servers,
    faults: {
      async killOne() {
        await servers[0]?.kill()
        return async () => void (servers[0] = await startServerProcess(database))
      },
      ...(libfaketime !== undefined &&
        existsSync(libfaketime) && {
          async changeClock() {
            await setClock('+5')
            return () => setClock('+0')
          },
        }),
    },
  }
}

/** Wall clock only: timers go on as before. */
const withClock = (file: string): Readonly<Record<string, string>> =>
  libfaketime === undefined
    ? {}
    : {
        LD_PRELOAD: libfaketime,
        FAKETIME_TIMESTAMP_FILE: file,
        FAKETIME_NO_CACHE: '1',
        FAKETIME_DONT_FAKE_MONOTONIC: '1',
        DONT_FAKE_MONOTONIC: '1',
      }
