import { existsSync, globSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { startServerProcess, type ServerProcess, type ServerProcessOptions } from '../processes/server-processes.ts'
import type { DatabaseAddress } from '../processes/server-config.ts'
import type { Fault } from './faults.ts'

const [libfaketime] = globSync('/usr/lib/*/faketime/libfaketime.so.1')

/** The servers, and what can break in them. */
export interface BreakableServers {
  readonly servers: ServerProcess[]
  readonly faults: readonly Fault[]
}

/**
 * Starts a server for each database, and returns their faults. The clock of the last server can be changed if the Debian package
 * `faketime` is installed.
 */
export async function startServersWithFaults(
  databases: readonly DatabaseAddress[],
  { folder, log, ...options }: ServerProcessOptions & { readonly folder: string; readonly log: (line: string) => void },
): Promise<BreakableServers> {
  const clock = join(folder, 'clock')
  const setClock = (offset: string): Promise<void> => writeFile(clock, `${offset}\n`)
  await setClock('+0')
  const start = (database: DatabaseAddress, index: number): Promise<ServerProcess> =>
    startServerProcess(database, {
      ...options,
      environment: index === databases.length - 1 ? withClock(clock) : {},
      eventLog: join(folder, `events-of-server-${index + 1}.jsonl`),
    })
  const servers = await Promise.all(databases.map(start))
  log(`${servers.length} servers have started`)

  const [first] = databases
  if (first === undefined) throw new Error('A server needs a database.')
  const killOne: Fault = {
    name: 'a server is killed',
    seconds: 2,
    async inject() {
      await servers[0]?.kill()
      return async () => void (servers[0] = await start(first, 0))
    },
  }
  if (libfaketime === undefined || !existsSync(libfaketime)) {
    log('no fault of a clock: the Debian package faketime is not installed')
    return { servers, faults: [killOne] }
  }
  const changeClock: Fault = {
    name: 'the clock of a server jumps 5 s ahead',
    seconds: 20,
    async inject() {
      await setClock('+5')
      return () => setClock('+0')
    },
  }
  return { servers, faults: [killOne, changeClock] }
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
