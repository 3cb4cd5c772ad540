import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { appendFile, open, stat } from 'node:fs/promises'
import { resolve } from 'node:path'

import { type Administration, AdminError } from '@mintmark/admin'
import { SingleBar } from 'cli-progress'
import { Command, InvalidArgumentError, Option } from 'commander'

import { CommandError, UsageError } from '../command-error.ts'
import { withAdministration } from '../config/open-storage.ts'
import { readSettings, withConfig, type ConfigOptions } from '../config/settings.ts'
import { type Checkpoint, readCheckpoint, removeCheckpoint, writeCheckpoint } from '../import/checkpoint.ts'
import { type Format, type Input, type Line, readUsers, textOf } from '../import/read-users.ts'
import type { Io } from '../io.ts'
import { printable, type ShowOptions } from '../show.ts'

interface ImportOptions extends ConfigOptions, ShowOptions {
  readonly format?: Format
  readonly map?: readonly string[]
  readonly dryRun?: true
  readonly checkpoint?: string
  readonly report?: string
}

/** Creates `mintmark user import`, which imports users from the host's own table. */
export const userImportCommand = (io: Io): Command =>
  withConfig(new Command('import'))
    .description('imports users from your own table: creates new users, and replaces the claims of existing ones')
    .argument('<file>', 'JSON Lines or CSV; - for the standard input')
    .addOption(new Option('--format <format>', 'default: by the file name extension').choices(['jsonl', 'csv']))
    .option('--map <claim=column...>', 'the CSV columns whose name differs from the claim', requireMapping)
    .option('--dry-run', 'shows what would be done, and changes no user')
    .option('--checkpoint <file>', 'the file that an interrupted import continues from; default: <file>.checkpoint')
    .option('--report <file>', 'writes the refused lines to a file, as JSON Lines')
    .option('--json', 'print JSON')
    .action((file: string, options: ImportOptions) =>
      withAdministration(options, io, ({ users }) => importUsers(file, options, { io, users })),
    )

interface ImportDependencies {
  readonly io: Io
  readonly users: Administration['users']
}

/** The number of users in a batch. The checkpoint moves after each batch. */
const batchSize = 1000

/** The number of refused lines that are shown. A report contains all of them. */
const shownRefusals = 20

async function importUsers(file: string, options: ImportOptions, { io, users }: ImportDependencies): Promise<void> {
  const source = await openSource(file, options, io)
  const { checkpointFile } = source
  const done = checkpointFile === undefined ? undefined : await readCheckpoint(checkpointFile, source.digest)
  if (done !== undefined) io.err(`Continues after line ${done.lines}.`)
  const report = await openReport(options.report && resolve(io.cwd, options.report), done)
  const counts = { created: 0, updated: 0, unchanged: 0, refused: 0, ...done?.counts }
  const refusals: Refusal[] = []
  const bar = progressBar(source.size, io)
  let lines = done?.lines ?? 0

  const write = async (batch: readonly Line[]): Promise<void> => {
    const refused = await writeBatch(batch, counts, { users, dryRun: options.dryRun === true })
    refusals.push(...refused.slice(0, Math.max(0, maxRefusals - refusals.length)))
    for (const refusal of refused.slice(0, Math.max(0, shownRefusals - (counts.refused - refused.length))))
      io.err(`line ${refusal.line}: ${printable(refusal.message)}`)
    const reportBytes = await report(refused)
    lines = batch.at(-1)?.line ?? lines
    if (checkpointFile !== undefined)
      await writeCheckpoint(checkpointFile, { source: source.digest, lines, counts, reportBytes })
    bar?.update(source.read(), { users: counts.created + counts.updated + counts.unchanged })
  }

  try {
    for await (const batch of batchesOf(readUsers(source.input(), source.format, columnOptions(options, io)), lines))
      await write(batch)
  } finally {
    bar?.stop()
  }
  if (checkpointFile !== undefined) await removeCheckpoint(checkpointFile)
  showResult({ counts, refusals }, options, io)
}

/** The number of refused lines in the JSON output. */
const maxRefusals = 1000

type Counts = Checkpoint['counts']

interface Refusal {
  readonly line: number
  readonly userId: string | undefined
  readonly reason: string
  readonly message: string
}

/**
 * Writes a batch, and returns the refused lines.
 * @param counts the counts of all batches, which this function increases.
 */
async function writeBatch(
  batch: readonly Line[],
  counts: Counts,
  { users, dryRun }: Pick<ImportDependencies, 'users'> & { readonly dryRun: boolean },
): Promise<readonly Refusal[]> {
  const valid = batch.filter((line) => 'user' in line)
  const results = await users.upsert(
    valid.map(({ user }) => user),
    { dryRun },
  )
  const problems = batch.flatMap((line): Refusal[] =>
    'problem' in line ? [{ line: line.line, userId: undefined, reason: 'line_invalid', message: line.problem }] : [],
  )
  const refused = results.flatMap((result, index): Refusal[] => {
    counts[result.outcome] += 1
    if (result.outcome !== 'refused') return []
    const { userId, reason } = result
    return [{ line: valid[index]?.line ?? 0, userId, reason, message: `${userId}: ${new AdminError(reason).message}` }]
  })
  counts.refused += problems.length
  return [...problems, ...refused].toSorted((one, other) => one.line - other.line)
}

/**
 * Splits lines into batches.
 * @param after the last line that an earlier run has written. Lines up to it are skipped.
 */
async function* batchesOf(lines: AsyncIterable<Line>, after: number): AsyncGenerator<readonly Line[]> {
  let batch: Line[] = []
  for await (const line of lines) {
    if (line.line <= after) continue
    batch.push(line)
    if (batch.length < batchSize) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

interface Source {
  readonly format: Format
  readonly input: () => Input
  /** In bytes; `undefined` for the standard input. */
  readonly size: number | undefined
  /** Returns how many bytes have been read. */
  readonly read: () => number
  /** Identifies the input and the database. */
  readonly digest: string
  readonly checkpointFile: string | undefined
}

async function openSource(file: string, options: ImportOptions, io: Io): Promise<Source> {
  const { issuer, database } = await readSettings(options, io)
  const hash = createHash('sha256').update(JSON.stringify([issuer, database]))
  const checkpointOption = options.checkpoint === undefined ? undefined : resolve(io.cwd, options.checkpoint)
  const unlessDryRun = (path: string | undefined) => (options.dryRun === true ? undefined : path)
  if (file === '-') {
    const digest = hash.digest('base64url')
    const { format = 'jsonl' } = options
    const checkpointFile = unlessDryRun(checkpointOption)
    return { format, input: io.input, size: undefined, read: () => 0, digest, checkpointFile }
  }
  const path = resolve(io.cwd, file)
  const found = await stat(path).catch(() => undefined)
  if (found?.isFile() !== true) throw new UsageError(`There is no file ${file}.`)
  // The whole file is decoded before the first user is written.
  for await (const text of textOf(createReadStream(path))) hash.update(text)
  const stream = createReadStream(path)
  return {
    format: options.format ?? (path.endsWith('.csv') ? 'csv' : 'jsonl'),
    input: () => stream,
    size: found.size,
    read: () => stream.bytesRead,
    digest: hash.digest('base64url'),
    checkpointFile: unlessDryRun(checkpointOption ?? `${path}.checkpoint`),
  }
}

/** Opens the report of refused lines. Returns a function that adds lines and returns the size of the file. */
async function openReport(
  path: string | undefined,
  done: Checkpoint | undefined,
): Promise<(refused: readonly Refusal[]) => Promise<number>> {
  if (path === undefined) return () => Promise.resolve(0)
  const file = await open(path, 'a', 0o600)
  // Lines after the checkpoint are processed again, so what was reported about them is removed. If the interrupted import
  // wrote its report to another file, this file can be shorter than that report.
  let size = Math.min(done?.reportBytes ?? 0, (await file.stat()).size)
  await file.truncate(size)
  await file.close()
  return async (refused) => {
    const text = refused.map((refusal) => `${JSON.stringify(refusal)}\n`).join('')
    await appendFile(path, text)
    size += Buffer.byteLength(text)
    return size
  }
}

function columnOptions({ map = [] }: ImportOptions, io: Io) {
  return {
    columns: new Map(map.map((mapping) => splitMapping(mapping))),
    onIgnored: (columns: readonly string[]) => {
      if (columns.length > 0)
        io.err(`Ignored columns: ${printable(columns.join(', '))}. To read a column, add --map CLAIM=COLUMN.`)
    },
  }
}

/** Checks a mapping and adds it to the others. Commander calls it for each value. */
function requireMapping(mapping: string, before: readonly string[] = []): readonly string[] {
  if (!/^[^=]+=[^=]+$/.test(mapping)) throw new InvalidArgumentError('Use CLAIM=COLUMN, such as user_id=id.')
  return [...before, mapping]
}

function splitMapping(mapping: string): [claim: string, column: string] {
  const [claim = '', column = ''] = mapping.split('=')
  return [claim, column]
}

/** Starts a progress bar. Returns undefined if the output is not a terminal or the size of the input is unknown. */
function progressBar(size: number | undefined, { terminal }: Io): SingleBar | undefined {
  if (terminal === undefined || size === undefined) return undefined
  const bar = new SingleBar({ format: '{bar} {percentage} %  {users} users  {eta_formatted} left', stream: terminal })
  bar.start(size, 0, { users: 0 })
  return bar
}

function showResult(
  { counts, refusals }: { readonly counts: Counts; readonly refusals: readonly Refusal[] },
  { json, dryRun }: Pick<ImportOptions, 'json' | 'dryRun'>,
  io: Io,
): void {
  const { created, updated, unchanged, refused } = counts
  if (json === true) io.out(JSON.stringify({ dryRun: dryRun === true, ...counts, refusals }, undefined, 2))
  else
    io.out(
      `${dryRun === true ? 'Dry run: ' : ''}${created} created, ${updated} updated, ${unchanged} unchanged, ${refused} refused.`,
    )
  if (refused > 0) throw new CommandError(`${refused} ${refused === 1 ? 'line was' : 'lines were'} refused.`)
}
