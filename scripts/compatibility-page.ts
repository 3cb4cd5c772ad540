import { readFileSync } from 'node:fs'

import { foreignRoles, pinnedVersion, type ForeignClient } from '../test/foreign-clients/foreign-client.ts'
import { foreignClients } from '../test/foreign-clients/foreign-clients.ts'
import type { Outcome } from '../test/foreign-clients/run-client.ts'
import { roles, triedSoftware, type TriedSoftware } from '../test/interop/tried-software.ts'

/** The titles of the tests that passed, by file without `.test.ts`. */
export type PassedTests = ReadonlyMap<string, readonly string[]>

/** What happened to the clients of test/foreign-clients, by folder. */
export type ForeignOutcomes = Readonly<Record<string, Outcome>>

/** A section of the page about one product. */
interface Entry {
  readonly role: string
  readonly name: string
  readonly version: string
  /** The package, where its name does not follow from the product's. */
  readonly label?: string
  readonly setUp: string | undefined
  /** What it did. */
  readonly flows: readonly string[]
  readonly count: string
  /** Where it was tried. */
  readonly place: string
}

/** The page docs/compatibility.md for a run. */
export function compatibilityPage(passed: PassedTests, outcomes: ForeignOutcomes): string {
  const tested = triedSoftware.map((software) => testedEntry(software, passed))
  const foreign = foreignClients.map((client) => foreignEntry(client, outcomes[client.folder]))
  const sections = [...roles, ...foreignRoles].map((role) =>
    [`## ${role}`, ...[...tested, ...foreign].filter((entry) => entry.role === role).map(section)].join('\n\n'),
  )
  return [introduction, summary(tested), foreignIntroduction, summary(foreign), ...sections].join('\n\n') + '\n'
}

/** The version of the software that is installed; `undefined` where a script of ours plays it. */
export function installedVersion({ packageName }: TriedSoftware): string | undefined {
  if (packageName === undefined) return undefined
  const manifest = JSON.parse(readFileSync(`node_modules/${packageName}/package.json`, 'utf8')) as {
    readonly version: string
  }
  return manifest.version
}

const summary = (entries: readonly Entry[]): string =>
  [
    '| software | version | passed |',
    '|---|---|---|',
    ...entries.map(({ name, version, count }) => `| ${name} | ${version} | ${count} |`),
  ].join('\n')

const section = ({ name, version, label = '', setUp, flows, place }: Entry): string =>
  [
    `### ${[name, version].join(' ').trim()}${label}`,
    ...(setUp === undefined ? [] : [setUp]),
    ...(flows.length === 0 ? [] : [flows.map((title) => `- ${title}`).join('\n')]),
    place,
  ].join('\n\n')

function testedEntry(software: TriedSoftware, passed: PassedTests): Entry {
  const { role, name, packageName = name, setUp, files } = software
  const flows = files.flatMap((file) => passed.get(file) ?? [])
  const links = files.map((file) => `[${file}](../test/interop/${file}.test.ts)`)
  return {
    role,
    name,
    version: installedVersion(software) ?? '',
    label: packageName === name ? '' : ` (\`${packageName}\`)`,
    setUp,
    flows,
    count: String(flows.length),
    place: `Tried in ${links.join(' and ')}.`,
  }
}

/** The page is written only if no check failed unexpectedly. */
function foreignEntry(client: ForeignClient, outcome: Outcome | undefined): Entry {
  const { role, name, folder, packages, checks, expectedFailures = {}, setUp } = client
  const passed = checks.filter((title) => !(title in expectedFailures))
  const failures = Object.entries(expectedFailures).map(([title, reason]) => `Fails: ${title}. ${reason}`)
  const hasRun = outcome?.kind === 'ran'
  return {
    role,
    name,
    version: pinnedVersion(client) ?? (hasRun ? outcome.version : ''),
    setUp: setUp ?? 'It needs no particular setting.',
    flows: hasRun ? [...passed, ...failures] : [],
    count: hasRun ? `${passed.length} of ${checks.length}` : 'not run',
    place: `${hasRun ? 'Tried' : 'Not run when this page was written; it is tried'} with ${packages.map((one) => `\`${one}\``).join(' and ')} in [${folder}](../test/foreign-clients/${folder}).`,
  }
}

const introduction = `# Compatibility

Other people's software, as it comes from the registry and unchanged, against a running server. Each line is a test that
passed with the version named; it runs again with every change. This page is written by \`pnpm compatibility\`.`

const foreignIntroduction = `Clients in other languages, and clients that are too large for the test command, run with \`pnpm foreign-clients\`, each
against a server of its own. They have their default configuration, apart from the settings that this page names.`
