import type { SqlValue } from '../dialect.ts'
import type { PostgresClient, PostgresResult, PostgresStatement } from './connection.ts'

/** Sends statements on a connection, and returns their results. @throws the driver's error for the first that fails. */
export type Send = (
  client: PostgresClient,
  statements: readonly PostgresStatement[],
) => Promise<readonly PostgresResult[]>

/**
 * Returns a function that sends statements. Those of a fixed number are sent with the messages of the protocol, as extensions of
 * `pg` do, such as `pg-cursor`: all in one packet, in one transaction, and without asking for the names and types of their columns,
 * which the server would send with every result. Several statements together take a third of the processor time that they take
 * one by one. Other statements, and those on connections of other drivers, are sent with `query`.
 */
export function createSend(): Send {
  const known: KnownColumns = new Map()
  return async (client, statements) => {
    if (sendsMessages(client) && statements.every(({ isLasting }) => isLasting === true))
      return new Promise((resolve, reject) => {
        const answer = (error: unknown, results: readonly PostgresResult[] = []): void =>
          error === undefined || error === null ? resolve(results) : reject(error)
        client.query(groupOf(statements, { client, known, answer }))
      })
    const results: PostgresResult[] = []
    for (const statement of statements) results.push(await client.query(statement))
    return results
  }
}

/** Whether the connection is one of `pg` on which several statements can be sent together. */
export function sendsMessages(client: PostgresClient): client is PostgresClient & DriverClient {
  const { connection, pipeline, binary, getTypeParser } = client as unknown as Partial<DriverClient>
  // In these modes, the driver refuses queries of other classes, or has results in another format.
  if (pipeline === true || binary === true || typeof getTypeParser !== 'function') return false
  return typeof connection?.bind === 'function' && connection.parsedStatements !== undefined
}

/** The members of a client of `pg` that its extensions use. */
interface DriverClient {
  readonly pipeline?: boolean
  readonly binary?: boolean
  readonly connection: DriverConnection
  query(group: Group): unknown
  getTypeParser(type: number, format: 'text'): Decode
}

interface DriverConnection {
  /** The texts of the prepared statements, by name. The driver adds one when its `Parse` has succeeded. */
  readonly parsedStatements: Readonly<Record<string, string | undefined>>
  readonly stream: { cork?: () => void; uncork?: () => void }
  parse(message: { readonly name: string; readonly text: string }): void
  bind(message: {
    readonly statement: string
    readonly values: readonly unknown[]
    readonly valueMapper: (value: SqlValue) => string | null
  }): void
  describe(message: { readonly type: 'P'; readonly name: '' }): void
  execute(message: object): void
  sync(): void
}

/** What the driver calls while it sends a query and receives its result. */
interface Group {
  callback: (error: unknown, results?: readonly PostgresResult[]) => void
  readonly name: string | undefined
  readonly text: string | undefined
  submit(connection: DriverConnection): null
  handleRowDescription(message: { readonly fields: readonly FieldDescription[] }): void
  handleDataRow(message: { readonly fields: unknown[] }): void
  handleCommandComplete(): void
  handleEmptyQuery(): void
  handlePortalSuspended(): void
  handleError(error: unknown): void
  handleReadyForQuery(): void
}

interface FieldDescription {
  readonly name: string
  readonly dataTypeID: number
}

type Decode = (text: string) => unknown

/** The columns of a statement, and how to decode those that are neither text nor whole numbers. */
interface Columns {
  readonly fields: readonly FieldDescription[]
  readonly decoders: readonly (readonly [index: number, decode: Decode])[]
}

type KnownColumns = Map<string, Columns>

interface GroupContext {
  readonly client: DriverClient
  /** The columns by the text of the statement. */
  readonly known: KnownColumns
  readonly answer: Group['callback']
}

/** Returns a query for the driver. The answers come in the order of the statements. */
function groupOf(statements: readonly PostgresStatement[], { client, known, answer }: GroupContext): Group {
  const results: PostgresResult[] = []
  let rows: unknown[] = []
  let columns: Columns | undefined
  const current = (): PostgresStatement | undefined => statements[results.length]

  const group: Group = {
    callback: answer,
    // The driver remembers the statement that the server has just prepared by these.
    get name() {
      return current()?.name
    },
    get text() {
      return current()?.text
    },
    submit(connection) {
      connection.stream.cork?.()
      try {
        sendAll(statements, connection, known)
      } finally {
        connection.stream.uncork?.()
      }
      return null
    },
    handleRowDescription({ fields }) {
      columns = columnsOf(fields, client)
    },
    handleDataRow({ fields }) {
      columns ??= known.get(current()?.text ?? '') ?? noColumns
      for (const [index, decode] of columns.decoders) {
        const value = fields[index]
        if (value !== null) fields[index] = decode(value as string)
      }
      rows.push(fields)
    },
    handleCommandComplete() {
      const text = current()?.text ?? ''
      const { fields } = columns ?? known.get(text) ?? noColumns
      if (!known.has(text)) known.set(text, columns ?? noColumns)
      results.push({ fields, rows })
      rows = []
      columns = undefined
    },
    handleEmptyQuery() {},
    handlePortalSuspended() {},
    handleError: (error) => group.callback(error),
    handleReadyForQuery: () => group.callback(undefined, results),
  }
  return group
}

function sendAll(statements: readonly PostgresStatement[], connection: DriverConnection, known: KnownColumns): void {
  const parsed = new Set<string>()
  for (const { name = '', text, values = [] } of statements) {
    if (name === '' || (connection.parsedStatements[name] === undefined && !parsed.has(name)))
      connection.parse({ name, text })
    parsed.add(name)
    connection.bind({ statement: name, values, valueMapper: textOf })
    if (!known.has(text)) connection.describe({ type: 'P', name: '' })
    connection.execute({})
  }
  connection.sync()
}

const textOf = (value: SqlValue | undefined): string | null =>
  value === null || value === undefined ? null : String(value)

const noColumns: Columns = { fields: [], decoders: [] }

const columnsOf = (fields: readonly FieldDescription[], client: DriverClient): Columns => ({
  fields,
  decoders: fields.flatMap(({ dataTypeID }, index) =>
    readAsText.has(dataTypeID) ? [] : [[index, client.getTypeParser(dataTypeID, 'text')] as const],
  ),
})

/** The object identifiers of the types `bigint` and `text`. A record accepts whole numbers as text. */
const readAsText: ReadonlySet<number> = new Set([20, 25])
