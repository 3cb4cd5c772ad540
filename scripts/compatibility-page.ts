import { readFileSync } from 'node:fs'

import { roles, triedSoftware, type TriedSoftware } from '../test/interop/tried-software.ts'

/** The titles of the tests that passed, by file without `.test.ts`. */
export type PassedTests = ReadonlyMap<string, readonly string[]>

/** The page docs/compatibility.md for a run. */
export const compatibilityPage = (passed: PassedTests): string =>
  [introduction, summary(passed), ...roles.map((role) => section(role, passed))].join('\n\n') + '\n'

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

const introduction = `# Compatibility

Other people's software, as it comes from the registry and unchanged, against a running server. Each line is a test that
passed with the version named; it runs again with every change. This page is written by \`pnpm compatibility\`.`
