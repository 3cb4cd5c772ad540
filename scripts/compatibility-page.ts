import { readFileSync } from 'node:fs'

import { foreignRoles, pinnedVersion, type ForeignClient } from '../test/foreign-clients/foreign-client.ts'
import { foreignClients } from '../test/foreign-clients/foreign-clients.ts'
import type { Outcome } from '../test/foreign-clients/run-client.ts'
import { roles, triedSoftware, type TriedSoftware } from '../test/interop/tried-software.ts'

/** The titles of the tests that passed, by file without `.test.ts`. */
export type PassedTests = ReadonlyMap<string, readonly string[]>

/** What happened to the clients of test/foreign-clients, by folder. */
export type ForeignOutcomes = Readonly<Record<string, Outcome>>

/** The page docs/compatibility.md for a run. */
export const compatibilityPage = (passed: PassedTests, outcomes: ForeignOutcomes): string =>
  [
    introduction,
    summary(passed),
    foreignIntroduction,
    foreignSummary(outcomes),
    ...roles.map((role) => section(role, passed)),
    ...foreignRoles.map((role) => foreignSection(role, outcomes)),
  ].join('\n\n') + '\n'

/** The version of the software that is installed; `undefined` where a script of ours plays it. */
export function installedVersion({ packageName }: TriedSoftware): string | undefined {
  if (packageName === undefined) return undefined
  const manifest = JSON.parse(readFileSync(`node_modules/${packageName}/package.json`, 'utf8')) as {
    readonly version: string
  }
  return manifest.version
}

function summary(passed: PassedTests): string {
  const rows = triedSoftware.map(
    (software) => `| ${software.name} | ${installedVersion(software) ?? ''} | ${flowsOf(software, passed).length} |`,
  )
  return ['| software | version | tests passed |', '|---|---|---|', ...rows].join('\n')
}

function section(role: string, passed: PassedTests): string {
  const here = triedSoftware.filter((software) => software.role === role)
  return [`## ${role}`, ...here.map((software) => entry(software, passed))].join('\n\n')
}

function entry(software: TriedSoftware, passed: PassedTests): string {
  const version = installedVersion(software)
  const label =
    software.packageName === undefined || software.packageName === software.name ? '' : ` (\`${software.packageName}\`)`
  const links = software.files.map((file) => `[${file}](../test/interop/${file}.test.ts)`)
  return [
    `### ${software.name}${version === undefined ? '' : ` ${version}`}${label}`,
    ...(software.setUp === undefined ? [] : [software.setUp]),
    flowsOf(software, passed)
      .map((title) => `- ${title}`)
      .join('\n'),
    `Tried in ${links.join(' and ')}.`,
  ].join('\n\n')
}

const flowsOf = ({ files }: TriedSoftware, passed: PassedTests): readonly string[] =>
  files.flatMap((file) => passed.get(file) ?? [])

function foreignSummary(outcomes: ForeignOutcomes): string {
  const rows = foreignClients.map((client) => {
    const outcome = outcomes[client.folder]
    const passed = outcome?.kind === 'ran' ? passedChecks(client).length : 0
    const result = outcome?.kind === 'ran' ? `${passed} of ${client.checks.length}` : 'not run'
    return `| ${client.name} | ${versionOf(client, outcome)} | ${result} |`
  })
  return ['| software | version | checks passed |', '|---|---|---|', ...rows].join('\n')
}

function foreignSection(role: string, outcomes: ForeignOutcomes): string {
  const here = foreignClients.filter((client) => client.role === role)
  return [`## ${role}`, ...here.map((client) => foreignEntry(client, outcomes[client.folder]))].join('\n\n')
}

function foreignEntry(client: ForeignClient, outcome: Outcome | undefined): string {
  const failures = Object.entries(client.expectedFailures ?? {}).map(
    ([title, reason]) => `- Fails: ${title}. ${reason}`,
  )
  const packages = client.packages.map((name) => `\`${name}\``).join(' and ')
  return [
    `### ${client.name} ${versionOf(client, outcome)}`,
    client.setUp ?? 'It needs no particular setting.',
    ...(outcome?.kind === 'ran'
      ? [[...passedChecks(client).map((title) => `- ${title}`), ...failures].join('\n')]
      : [`Not run when this page was written: ${outcome?.reason ?? 'it was not selected'}.`]),
    `Tried with ${packages} in [${client.folder}](../test/foreign-clients/${client.folder}).`,
  ].join('\n\n')
}

/** The page is written only if no other check failed. */
const passedChecks = ({ checks, expectedFailures = {} }: ForeignClient): readonly string[] =>
  checks.filter((title) => !(title in expectedFailures))

const versionOf = (client: ForeignClient, outcome: Outcome | undefined): string =>
  pinnedVersion(client) ?? (outcome?.kind === 'ran' ? outcome.version : '')

const introduction = `# Compatibility

Other people's software, as it comes from the registry and unchanged, against a running server. Each line is a test that
passed with the version named; it runs again with every change. This page is written by \`pnpm compatibility\`.`

const foreignIntroduction = `Clients in other languages, and clients that are too large for the test command, run with \`pnpm foreign-clients\`, each
against a server of its own. They have their default configuration, apart from the settings that this page names.`
