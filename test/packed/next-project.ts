import { spawnSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Creates a project with the newest generator. @returns its folder; `undefined` if the registry does not answer. */
export async function createNextProject(): Promise<string | undefined> {
  const registry = await fetch('https://registry.npmjs.org/create-next-app/latest').catch(() => undefined)
  if (!registry?.ok) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'mintmark-nextjs-'))
  const generate = ['npx', '--yes', 'create-next-app@latest', 'acme', '--yes', '--skip-install', '--disable-git']
  run(generate, { cwd: folder, env: process.env })
  return join(folder, 'acme')
}

/** The layout of the generator loads fonts from Google while it builds, which not every network allows. */
export const removeFonts = (folder: string): void => writeFileSync(join(folder, 'app/layout.tsx'), layoutWithoutFonts)

const layoutWithoutFonts = `import './globals.css'

export default function RootLayout({ children }: LayoutProps<'/'>) {
  return (
    <html lang="en">
      <body>{children}</body>
    </html>
  )
}
`

/** Runs a command with the environment of a fresh machine and these variables. @returns its output. @throws Error if it fails. */
export function run([program = '', ...args]: readonly string[], { cwd, env: variables = {} }: RunOptions): string {
  const { PATH = '', HOME = '' } = process.env
  const env = { PATH, HOME, NEXT_TELEMETRY_DISABLED: '1', CI: '1', ...variables }
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8', env })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed.\n${stdout}${stderr}`)
  return stdout
}

interface RunOptions {
  readonly cwd: string
  readonly env?: object
}
