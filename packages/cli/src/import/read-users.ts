import type { Administration } from '@mintmark/admin'
import { repeatsMember } from '@mintmark/internal'
import type { JsonObject, JsonValue } from '@mintmark/storage-interface'
import { parse } from 'csv-parse'
import * as z from 'zod'

import { UsageError } from '../command-error.ts'

type UserUpsert = Parameters<Administration['users']['upsert']>[0][number]

/** A line of the input: a user, or the reason why the line is not a user. */
export type Line =
  { readonly line: number; readonly user: UserUpsert } | { readonly line: number; readonly problem: string }

/** The format of the input. */
export type Format = 'jsonl' | 'csv'

/** Bytes or text, in chunks of any size. */
export type Input = AsyncIterable<string | Uint8Array>

/** Which columns of CSV become which claims. */
export interface ColumnOptions {
  /** The column by claim name, or by `user_id` and `active`. */
  readonly columns: ReadonlyMap<string, string>
  /** Called with the columns that are not read. */
  readonly onIgnored: (columns: readonly string[]) => void
}

/** Reads the users of a file, line by line. An invalid line does not prevent reading the others. */
export async function* readUsers(input: Input, format: Format, options: ColumnOptions): AsyncGenerator<Line> {
  const text = textOf(input)
  const firstLines = new Map<string, number>()
  for await (const line of format === 'jsonl' ? readJsonLines(text) : readCsv(text, options)) {
    const first = 'user' in line ? firstLines.get(line.user.userId) : undefined
    if (first === undefined) {
      if ('user' in line) firstLines.set(line.user.userId, line.line)
      yield line
    } else yield { line: line.line, problem: `Not a new user: the user_id is in line ${first} already.` }
  }
}

/**
 * Decodes UTF-8.
 * @throws UsageError if it is another encoding: names would be damaged, and nobody would notice.
 */
export async function* textOf(input: Input): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let lines = 1
  const decode = (piece?: Uint8Array): string => {
    try {
      return piece === undefined ? decoder.decode() : decoder.decode(piece, { stream: true })
    } catch (error) {
      const [valid = ''] = new TextDecoder().decode(piece).split('\u{FFFD}')
      const line = lines + breaksIn(valid)
      throw new UsageError(`Line ${line} is not UTF-8. Save the file as UTF-8, or convert it with iconv.`, {
        cause: error,
      })
    }
  }
  for await (const piece of input) {
    const text = typeof piece === 'string' ? piece : decode(piece)
    lines += breaksIn(text)
    yield text
  }
  yield decode()
}

const breaksIn = (text: string): number => text.split('\n').length - 1

async function* readJsonLines(input: AsyncIterable<string>): AsyncGenerator<Line> {
  let line = 0
  for await (const text of linesOf(input)) {
    line += 1
    if (text.trim() !== '') yield jsonLine(line, text)
  }
}

/**
 * Splits the input at line feeds only (JSON Lines). `readline` would also split it at U+2028, which JSON strings may
 * contain.
 */
async function* linesOf(input: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = ''
  for await (const text of input) {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    // Without a limit, a file without line breaks would fill the memory.
    if (rest.length > maxLine) throw new UsageError(`A line has more than ${maxLine} characters: is this JSON Lines?`)
    yield* lines
  }
  if (rest !== '') yield rest
}

const maxLine = 1_000_000

const jsonUser = z.strictObject({
  user_id: z.union([z.string(), z.int()], 'must be a text or a whole number').transform(String),
  active: z.boolean().exactOptional(),
  // The object is not copied, because a copy would silently drop members such as `__proto__`.
  claims: z.custom<JsonObject>(isObject, 'claims is not an object').exactOptional(),
})

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function jsonLine(line: number, text: string): Line {
  const value = parseJson(text)
  if (value === undefined) return { line, problem: 'Not a user: the line is not JSON.' }
  const parsed = jsonUser.safeParse(value)
  // RFC 8259 §4: of two members with one name, parsers differ in which they read.
  if (parsed.success && repeatsMember(text)) return { line, problem: 'Not a user: a member occurs twice.' }
  if (parsed.success) {
    const { user_id: userId, ...rest } = parsed.data
    return { line, user: { userId, ...rest } }
  }
  const [issue] = parsed.error.issues
  return { line, problem: `Not a user: ${[issue?.path.join('.'), issue?.message].filter(Boolean).join(': ')}.` }
}

/** Returns undefined for text that is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function* readCsv(input: AsyncIterable<string>, { columns, onIgnored }: ColumnOptions): AsyncGenerator<Line> {
  let targets: Targets = []
  const skipped: Line[] = []
  const parser = parse({
    bom: true,
    info: true,
    skip_empty_lines: true,
    skip_records_with_error: true,
    columns: (header: readonly string[]) => {
      targets = targetsOf(header, columns)
      onIgnored(header.filter((name) => !targets.some(([column]) => column === name)))
      return [...header]
    },
    on_skip: (error) => {
      skipped.push({ line: Number(error?.['lines'] ?? 0), problem: `Not a record: ${error?.code ?? 'malformed'}.` })
      return undefined
    },
  })
  void feed(input, parser)
  for await (const { info, record } of parser as AsyncIterable<CsvRecord>) {
    yield* skipped.splice(0)
    yield csvLine(info.lines, record, targets)
  }
  yield* skipped
}

interface CsvRecord {
  readonly info: { readonly lines: number }
  readonly record: Readonly<Record<string, string>>
}

async function feed(input: AsyncIterable<string>, parser: ReturnType<typeof parse>): Promise<void> {
  try {
    for await (const piece of input)
      if (!parser.write(piece)) await new Promise((resolve) => parser.once('drain', resolve))
    parser.end()
  } catch (error) {
    // Makes the loop that reads from the parser throw the error.
    parser.destroy(error instanceof Error ? error : new Error('The input cannot be read.', { cause: error }))
  }
}

/** The columns that are read, each with its claim, or with `user_id` or `active`. */
type Targets = readonly (readonly [column: string, target: string])[]

function targetsOf(header: readonly string[], columns: ColumnOptions['columns']): Targets {
  for (const [target, column] of columns)
    if (!header.includes(column)) throw new UsageError(`There is no column ${column} for ${target}.`)
  const mapped = [...columns].map(([target, column]) => [column, target] as const)
  const named = header.filter((name) => isKnown(name) && !columns.has(name) && !mapped.some(([own]) => own === name))
  const targets = [...mapped, ...named.map((name) => [name, name] as const)]
  if (!targets.some(([, target]) => target === 'user_id'))
    throw new UsageError('No column contains the user_id. Add --map user_id=COLUMN.')
  const twice = targets.find(([column]) => header.indexOf(column) !== header.lastIndexOf(column))
  if (twice !== undefined) throw new UsageError(`There are two columns ${twice[0]}. Rename or remove one of them.`)
  return targets
}

const isKnown = (name: string): boolean => knownColumns.has(name) || name.startsWith('address.')

/** OIDC Core §5.1. Other columns, such as password hashes, must not become claims by accident. */
const knownColumns: ReadonlySet<string> = new Set(
  `user_id active name given_name family_name middle_name nickname preferred_username profile picture website
  email email_verified gender birthdate zoneinfo locale phone_number phone_number_verified`.split(/\s+/),
)

/** Converts a record to a user. An empty cell does not become a claim. */
function csvLine(line: number, record: Readonly<Record<string, string>>, targets: Targets): Line {
  const cellOf = (name: string): string => record[targets.find(([, target]) => target === name)?.[0] ?? ''] ?? ''
  const claims = new Map<string, JsonValue>()
  const address: [string, string][] = []
  for (const [column, target] of targets) {
    const cell = record[column] ?? ''
    if (cell === '' || target === 'user_id') continue
    // To read an unknown word as false would block the user.
    if (isFlag(target) && !booleans.has(cell.toLowerCase()))
      return { line, problem: `Not a user: ${column} must be true or false.` }
    if (target === 'active') continue
    if (target.startsWith('address.')) address.push([target.slice('address.'.length), cell])
    else claims.set(target, isFlag(target) ? isTrue(cell) : cell)
  }
  if (address.length > 0) claims.set('address', Object.fromEntries(address))
  const active = cellOf('active')
  const user = { userId: cellOf('user_id'), claims: Object.fromEntries(claims) }
  return { line, user: active === '' ? user : { ...user, active: isTrue(active) } }
}

const isFlag = (target: string): boolean => target === 'active' || target.endsWith('_verified')

const isTrue = (cell: string): boolean => booleans.get(cell.toLowerCase()) === true

/** The notations of PostgreSQL, SQLite and spreadsheets. */
const booleans: ReadonlyMap<string, boolean> = new Map([
  ...['true', 't', '1', 'yes', 'y', 'on'].map((word) => [word, true] as const),
  ...['false', 'f', '0', 'no', 'n', 'off'].map((word) => [word, false] as const),
])
