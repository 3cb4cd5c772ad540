// Compares the public types of every package with its API reports, packages/*/api/*.api.md. The diff of a report shows
// a reviewer what a change means for users. `--update` writes the reports. Run `pnpm types` first, because the reports
// describe the published declarations.
import { globSync, mkdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { posix, resolve } from 'node:path'
import { parseArgs } from 'node:util'

import { Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor'

import { runCommand } from './command-words.ts'

const silent = { default: { logLevel: ExtractorLogLevel.None } }

/** Includes the types of the DOM, because the tool cannot resolve globals such as `URL` in the types of Node. */
const compilerOptions = {
  target: 'es2023',
  module: 'nodenext',
  moduleResolution: 'nodenext',
  lib: ['es2023', 'dom', 'dom.iterable'],
  types: [],
  strict: true,
  skipLibCheck: true,
}

const { values } = await runCommand('Write pnpm generate api-report [--update].', (args) =>
  parseArgs({ args, options: { update: { type: 'boolean', default: false } } }),
)
const changed = globSync('packages/*/package.json').toSorted().flatMap(reportsOf)
for (const report of changed) console.error(`${report} does not match the public types.`)
if (changed.length > 0)
  console.error('If the change is intended, run `pnpm generate api-report --update`, and add a changeset.')
process.exitCode = changed.length === 0 ? 0 : 1

/** Returns the reports of a package that do not match its types. */
function reportsOf(manifest: string): readonly string[] {
  const { publishConfig } = JSON.parse(readFileSync(manifest, 'utf8')) as Manifest
  const folder = posix.dirname(manifest)
  return Object.entries(publishConfig?.exports ?? {}).flatMap(([subpath, target]) => {
    if (typeof target === 'string' || target.types === undefined) return []
    const reportFileName = `${subpath === '.' ? 'index' : subpath.slice(2)}.api.md`
    return matches(folder, target.types, reportFileName) ? [] : [posix.join(folder, 'api', reportFileName)]
  })
}

function matches(folder: string, types: string, reportFileName: string): boolean {
  const entry = resolve(folder, types)
  const reportFolder = resolve(folder, 'api')
  mkdirSync(reportFolder, { recursive: true })
  const config = ExtractorConfig.prepare({
    configObjectFullPath: undefined,
    packageJsonFullPath: resolve(folder, 'package.json'),
    configObject: {
      projectFolder: resolve(folder),
      mainEntryPointFilePath: entry,
      compiler: { overrideTsconfig: { compilerOptions, files: [entry] } },
      apiReport: { enabled: true, reportFolder, reportTempFolder: tmpdir(), reportFileName },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      newlineKind: 'lf',
      messages: { extractorMessageReporting: silent, tsdocMessageReporting: silent, compilerMessageReporting: silent },
    },
  })
  const { apiReportChanged } = Extractor.invoke(config, {
    localBuild: values.update,
    messageCallback: (message) => (message.handled = true),
  })
  return values.update || !apiReportChanged
}

interface Manifest {
  readonly publishConfig?: { readonly exports: Readonly<Record<string, string | { readonly types?: string }>> }
}
