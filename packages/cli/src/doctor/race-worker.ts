import { digestSecret } from '@mintmark/internal'
import { type AdminStorage, clientId, type EpochSeconds, seconds } from '@mintmark/storage-interface'
import type { SecretDigest } from '@mintmark/storage-interface/stores'
import { createSqlStorage } from '@mintmark/storage-sql'
import { Command } from 'commander'

import { CommandError } from '../command-error.ts'
import { withDialect } from '../config/open-storage.ts'
import type { DatabaseAddress } from '../config/settings.ts'
import type { Io } from '../io.ts'

/** Runs one of the two processes of the test: it reports that it is ready, waits for a line, and prints the outcomes. */
export const workerCommand = (io: Io): Command =>
  new Command('doctor-worker').description('one of the processes that doctor starts').action(async () => {
    const lines = io.lines()
    const order = await readOrder(lines)
    await withDialect(order.address, 'status', async (dialect) => {
      const storage = await createSqlStorage({ dialect, issuer: raceIssuer })
      io.out('ready')
      await lines.next()
      io.out(JSON.stringify(await present(storage, order)))
    })
    await lines.return?.()
  })

async function readOrder(lines: AsyncIterator<string>): Promise<RaceOrder> {
  const line = await lines.next()
  if (line.done === true) throw new CommandError('Only doctor starts this command.')
  return JSON.parse(line.value) as RaceOrder
}

async function present(storage: AdminStorage, order: RaceOrder): Promise<RaceReport> {
  const { now, expiresAt } = order
  const client = clientId(raceClient)
  const successors = await Promise.all(
    Array.from({ length: order.times }, (_, index) => digestSecret(`${order.name} ${index}`)),
  )
  const each = async (attempt: (index: number) => Promise<{ readonly outcome: string }>): Promise<readonly string[]> =>
    (await Promise.all(successors.map((_, index) => attempt(index)))).map(({ outcome }) => outcome)

  return {
    consumed: await each(() => storage.codes.consume(order.code, client, now)),
    rotated: await each((index) =>
      storage.families.rotate({
        handleDigest: order.handle,
        presentedDigest: order.refreshToken,
        clientId: client,
        successorDigest: successors[index] ?? order.refreshToken,
        successorSalt: `${order.name} ${index}`,
        expiresAt,
        now,
        retryWindow: seconds(30),
      }),
    ),
    claimed: await each(() =>
      storage.replays.markUsed({ purpose: 'client_assertion_jti', value: order.jti, expiresAt, now }),
    ),
  }
}

/** The order for a process: one line of JSON on its standard input. */
export interface RaceOrder {
  readonly address: DatabaseAddress
  /** Distinguishes the refresh tokens that this process creates from those of the other one. */
  readonly name: string
  /** The number of times that it presents each credential. */
  readonly times: number
  readonly now: EpochSeconds
  readonly expiresAt: EpochSeconds
  readonly code: SecretDigest
  readonly handle: SecretDigest
  readonly refreshToken: SecretDigest
  readonly jti: string
}

/** The outcomes of a process, in the order of its calls. */
export interface RaceReport {
  readonly consumed: readonly string[]
  readonly rotated: readonly string[]
  readonly claimed: readonly string[]
}

/** The rows of the test have an issuer of their own, so no server reads them. */
export const raceIssuer = 'https://doctor.invalid'

/** The client and the user of the rows. */
export const raceClient = 'doctor'
