import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { PostgresPool, PostgresResult } from './connection.ts'
import { createLateStatements } from './late-statements.ts'

const nothing: PostgresResult = { fields: [], rows: [] }
const timeoutMilliseconds = 20

test('a connection that was closed to make room gets no further statement', async () => {
  const [late, canceller] = [aConnection(1), aConnection(2)]
  const connect: PostgresPool['connect'] = (taken) => late.whenReleased(() => taken(undefined, canceller.client))
  const endLateStatement = createLateStatements(aPool(connect), timeoutMilliseconds)
  const statement = aPromise()

  endLateStatement({ client: late.client, unanswered: statement.promise, hasPooler: false })
  await expect.poll(() => canceller.released).toEqual(['returned'])
  statement.resolve(nothing)
  await nextTurn()

  expect(late).toMatchObject({ released: ['closed'], sent: [] })
  expect(canceller.sent).toEqual([expect.stringContaining('pg_terminate_backend')])
})

test('closes only one connection to make room, even if the pool does not give another one in time', async () => {
  const [first, second, canceller] = [aConnection(1), aConnection(2), aConnection(3)]
  let requests = 0
  const connect: PostgresPool['connect'] = (taken) => {
    requests += 1
    if (requests > 1) taken(undefined, canceller.client)
  }
  const endLateStatement = createLateStatements(aPool(connect), timeoutMilliseconds)
  const statement = aPromise()
  canceller.whenAsked(() => statement.resolve(nothing))

  endLateStatement({ client: first.client, unanswered: aPromise().promise, hasPooler: false })
  endLateStatement({ client: second.client, unanswered: statement.promise, hasPooler: false })
  await expect.poll(() => second.released).not.toEqual([])

  expect([first.released, second.released]).toEqual([['closed'], ['returned']])
})

test('closes a late connection to a pooler, because its process number could be that of a stranger', async () => {
  const late = aConnection(1)
  let taken = 0
  const endLateStatement = createLateStatements(
    aPool(() => (taken += 1)),
    timeoutMilliseconds,
  )

  endLateStatement({ client: late.client, unanswered: aPromise().promise, hasPooler: true })
  await nextTurn()

  expect(late).toMatchObject({ released: ['closed'], sent: [] })
  expect(taken).toBe(0)
})

const aPool = (connect: PostgresPool['connect']): PostgresPool => ({ connect, on: () => {}, off: () => {} })

/** A connection that answers every statement. */
function aConnection(processID: number) {
  const [sent, released]: [string[], ('closed' | 'returned')[]] = [[], []]
  let [onRelease, onQuery] = [(): void => {}, (): void => {}]
  return {
    sent,
    released,
    whenReleased: (listener: () => void): void => void (onRelease = listener),
    whenAsked: (listener: () => void): void => void (onQuery = listener),
    client: {
      processID,
      on: () => {},
      off: () => {},
      release: (end?: boolean): void => {
        released.push(end === true ? 'closed' : 'returned')
        onRelease()
      },
      query: ({ text }: { readonly text: string }): Promise<PostgresResult> => {
        sent.push(text)
        onQuery()
        return Promise.resolve(nothing)
      },
    },
  }
}

function aPromise() {
  let resolve = (_result: PostgresResult): void => {}
  const promise = new Promise<PostgresResult>((settle) => void (resolve = settle))
  return { promise, resolve: (result: PostgresResult): void => resolve(result) }
}
