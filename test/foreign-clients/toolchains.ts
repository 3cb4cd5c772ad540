import { join } from 'node:path'

/** A program with its arguments, started in the client's folder. */
export type Command = readonly [program: string, ...args: string[]]

/** How the clients of a language are downloaded, built and started. */
interface Toolchain {
  /** The programs that must be on the PATH. */
  readonly programs: readonly string[]
  /** The oldest version that the libraries support. The first of the programs prints its version for `--version`. */
  readonly oldest?: readonly [major: number, minor: number]
  /** Commands that need the network. A failure means that the client does not run. */
  readonly download: (output: string) => readonly Command[]
  /** Commands that need no network. A failure is a defect in this repository. */
  readonly build: (output: string) => readonly Command[]
  readonly run: (output: string) => Command
  /** Only one download at a time, because the tool's cache does not support concurrent writers. */
  readonly isExclusive?: true
}

export const toolchains = {
  go: {
    programs: ['go'],
    download: () => [['go', 'mod', 'download']],
    build: (output) => [['go', 'build', '-o', join(output, 'client'), '.']],
    run: (output) => [join(output, 'client')],
  },
  rust: {
    // The linker is a C compiler.
    programs: ['cargo', 'cc'],
    oldest: [1, 88],
    download: () => [['cargo', 'fetch', '--locked', '--quiet']],
    build: (output) => [['cargo', 'build', '--locked', '--offline', '--quiet', '--target-dir', join(output, 'target')]],
    run: (output) => [join(output, 'target/debug/client')],
  },
  java: {
    programs: ['javac', 'mvn'],
    oldest: [17, 0],
    download: (output) => [
      ['mvn', '-q', '-B', 'dependency:copy-dependencies', `-DoutputDirectory=${join(output, 'lib')}`],
    ],
    build: (output) => [
      [
        'javac',
        '-parameters',
        '-cp',
        join(output, 'lib/*'),
        '-d',
        join(output, 'classes'),
        '../java/Checks.java',
        'Client.java',
      ],
    ],
    run: (output) => [
      'java',
      '-XX:TieredStopAtLevel=1',
      '-cp',
      `${join(output, 'classes')}:${join(output, 'lib/*')}`,
      'Client',
    ],
    isExclusive: true,
  },
  python: {
    programs: ['python3'],
    download: (output) => [
      ['python3', '-m', 'venv', join(output, 'venv')],
      [
        join(output, 'venv/bin/pip'),
        'install',
        '-q',
        '--no-input',
        '--disable-pip-version-check',
        '-r',
        'requirements.txt',
      ],
    ],
    build: () => [],
    run: (output) => [
      'env',
      'PYTHONPATH=../python',
      'PYTHONDONTWRITEBYTECODE=1',
      join(output, 'venv/bin/python'),
      'client.py',
    ],
  },
  npm: {
    programs: ['npm'],
    // Installs next to a copy of the sources, because pnpm manages every folder of this workspace.
    download: (output) => [
      ['cp', '-R', '.', output],
      ['npm', 'install', '--prefix', output, '--no-audit', '--no-fund', '--loglevel=error'],
    ],
    build: () => [],
    run: (output) => [process.execPath, join(output, 'client.mjs')],
  },
  keycloak: {
    programs: ['java', 'mvn'],
    oldest: [17, 0],
    download: (output) => [
      [
        'mvn',
        '-q',
        '-B',
        'dependency:unpack-dependencies',
        `-DoutputDirectory=${join(output, 'dist')}`,
        `-DmarkersDirectory=${join(output, 'markers')}`,
      ],
    ],
    build: () => [],
    run: () => [process.execPath, 'client.mjs'],
    isExclusive: true,
  },
  debian: {
    programs: ['apache2'],
    download: () => [],
    build: () => [],
    run: () => [process.execPath, 'client.mjs'],
  },
  nginx: {
    programs: ['nginx'],
    download: () => [],
    build: () => [],
    run: () => [process.execPath, 'client.mjs'],
  },
} as const satisfies Record<string, Toolchain>

/** Returns the definition of a toolchain. */
export const toolchainOf = (name: keyof typeof toolchains): Toolchain => toolchains[name]
