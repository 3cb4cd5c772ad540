import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

import { type ColorScheme, type PagesOptions, previewFiles } from '@mintmark/pages/internal'
import { Command, Option } from 'commander'

import { CommandError, UsageError } from '../command-error.ts'
import type { Io } from '../io.ts'
import type { ShowOptions } from '../show.ts'
import { parsePort } from './options.ts'
import { servePreview } from './serve-preview.ts'

interface PreviewOptions extends ShowOptions {
  readonly language?: readonly string[]
  readonly colorScheme?: ColorScheme
  readonly to?: string
  readonly port: number
}

/** Creates `mintmark brand`, which shows how the pages look with the branding of a host. */
export const brandCommand = (io: Io): Command =>
  new Command('brand').description('shows the pages with your branding').addCommand(
    new Command('preview')
      .description('shows every page with your branding, on this machine only; or writes the pages to a folder')
      .argument('<file>', 'the options of createPages: JSON, or a module that exports branding and languages')
      .option('--language <tags...>', 'the languages, such as en de; default: those of the file, or English')
      .addOption(new Option('--color-scheme <scheme>', 'one colour scheme; default: both').choices(['light', 'dark']))
      .option('--to <folder>', 'write HTML files instead of serving them')
      .option('--port <port>', 'the port on 127.0.0.1', parsePort, 4900)
      .option('--json', 'print JSON')
      .action((file: string, options: PreviewOptions) => preview(file, options, io)),
  )

async function preview(file: string, { language, colorScheme, to, port, json }: PreviewOptions, io: Io): Promise<void> {
  const options = await readPagesOptions(resolve(io.cwd, file))
  const files = render(options, {
    languages: language,
    colorSchemes: colorScheme === undefined ? ['light', 'dark'] : [colorScheme],
  })
  if (to !== undefined) {
    const folder = resolve(io.cwd, to)
    for (const [path, text] of files) {
      await mkdir(dirname(join(folder, path)), { recursive: true })
      await writeFile(join(folder, path), text)
    }
    const index = join(folder, 'index.html')
    return io.out(
      json === true ? JSON.stringify({ index, files: files.size }) : `Wrote ${files.size} files. Open ${index}`,
    )
  }
  const { origin, closed } = await servePreview(files, port)
  io.out(
    json === true ? JSON.stringify({ url: `${origin}/`, files: files.size }) : `Open ${origin}/ – stop with Ctrl-C`,
  )
  await closed
}

/** What `createPages` refuses is a mistake in the file, and its message says what to change. */
function render(...args: Parameters<typeof previewFiles>): ReadonlyMap<string, string> {
  try {
    return previewFiles(...args)
  } catch (error) {
    if (error instanceof TypeError) throw new CommandError(error.message, { cause: error })
    throw error
  }
}

async function readPagesOptions(file: string): Promise<PagesOptions> {
  const content = file.endsWith('.json') ? await readJson(file) : await readModule(file)
  if (isPagesOptions(content)) return content
  throw new UsageError(
    `${file} needs a member branding with the options of createPages, such as { "productName": "…" }.`,
  )
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as unknown
  } catch (error) {
    throw unreadable(file, error)
  }
}

/** Takes the default export, or `branding` and `languages` of the module. */
async function readModule(file: string): Promise<unknown> {
  try {
    const { default: whole, branding, languages } = (await import(pathToFileURL(file).href)) as Record<string, unknown>
    return whole ?? { ...(branding !== undefined && { branding }), ...(languages !== undefined && { languages }) }
  } catch (error) {
    throw unreadable(file, error)
  }
}

const unreadable = (file: string, error: unknown): UsageError =>
  new UsageError(`${file} cannot be read: ${error instanceof Error ? error.message : 'unknown error'}`, {
    cause: error,
  })

/** `createPages` checks the members. */
const isPagesOptions = (value: unknown): value is PagesOptions =>
  typeof value === 'object' && value !== null && 'branding' in value
