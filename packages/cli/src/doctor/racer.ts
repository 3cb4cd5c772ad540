import { digestSecret } from '@mintmark/core/runtime'
import { createSqlStorage } from '@mintmark/storage-sql'
import { clientId, seconds, type AdminStorage } from '@mintmark/storage-interface'
import { Command } from 'commander'

import { CommandError } from '../command-error.ts'
import type { Io } from '../io.ts'
import { withDialect } from '../place/open-storage.ts'
import { raceClient, raceIssuer, type RaceOrder, type RaceReport } from './race-order.ts'

/** One of the two processes of a race. It says when it is ready, waits for the word, and prints what it was told. */
export const workerCommand = (io: Io): Command =>
  new Command('doctor-racer').description('one of the processes that doctor starts').action(async () => {
    const lines = io.lines()
    const order = await readOrder(lines)
    await withDialect(order.address, 'status', async (dialect) => {
      const storage = await createSqlStorage({ dialect, issuer: raceIssuer })
      io.out('ready')
      await lines.next()
      io.out(JSON.stringify(await race(storage, order)))
    })
    await lines.return?.()
  })

async function readOrder(lines: AsyncIterator<string>): Promise<RaceOrder> {
  const line = await lines.next()
  if (line.done === true) throw new CommandError('This command is for doctor to start.')
  return JSON.parse(line.value) as RaceOrder
}

async function race(storage: AdminStorage, order: RaceOrder): Promise<RaceReport> {
  const { now, expiresAt } = order
  const client = clientId(raceClient)
  const successors = await Promise.all(
    Array.from({ length: order.times }, (_, index) => digestSecret(`${order.name} ${index}`)),
  )
  const each = async (present: (index: number) => Promise<{ readonly outcome: string }>): Promise<readonly string[]> =>
    (await Promise.all(successors.map((_, index) => present(index)))).map(({ outcome }) => outcome)

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
