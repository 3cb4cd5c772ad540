import ts from 'typescript'
import { expect, it } from 'vitest'

import { publicApiOf, readPublicApi } from '../../scripts/reference/public-api.ts'
import { unreadOptions } from '../../scripts/reference/unread-options.ts'

/** Options that have an effect, or need none, although nothing reads them. */
const justified: Readonly<Record<string, string>> = {
  'certificateFromHeader: trust': 'the host confirms how its proxy is configured; the only other value is refused',
  'registerClient: requireAuthTime': 'ID tokens always contain auth_time, as its documentation says',
}

it('every documented option is read by a source that is not its declaration or its check', () => {
  const names = Object.keys(justified)

  expect(unreadOptions(readPublicApi(), new Set(names)).toSorted()).toEqual(names)
})

const declaration = `
export interface ThingOptions {
  /** Used. */
  readonly used?: boolean
  /** Made up. */
  readonly madeUp?: boolean
  /** A group. */
  readonly group?: { readonly inner?: number }
}
declare function check(options: unknown, names: object): void
`
const start = 'check(options, { used: 1, madeUp: 1, group: 1 }); options.used; options.group?.inner;'

it.each([
  ['is only declared and checked', start, true],
  ['is checked by a function that refuses it', `${start} refuseMadeUp(options)`, true],
  ['is read', `${start} options.madeUp`, false],
  ['is read by a pattern', `${start} const { madeUp: other = true } = options`, false],
  ['is read by a template', `${start} let part: 'Up' = 'Up'; options[\`made\${part}\`]`, false],
  ['is passed on to a function that reads it', `${start} elsewhere(options)`, false],
  ['is passed on to a function that does not read it', `${start} nowhere(options)`, true],
])('the check knows whether an option %s', (_, body, isUnread) => {
  const api = apiOf({
    'packages/thing/src/index.ts': `${declaration}
import { elsewhere } from '../../other/src/index.ts'
import { nowhere } from '../../third/src/index.ts'
function refuseMadeUp(options: ThingOptions): void { if (options.madeUp) throw new TypeError('no') }
export function createThing(options: ThingOptions): void { ${body} }`,
    'packages/other/src/index.ts': `export const elsewhere = (options: { readonly madeUp?: boolean }) => options.madeUp`,
    'packages/third/src/index.ts': `export const nowhere = (options: { readonly madeUp?: boolean }) => options`,
  })

  expect(unreadOptions(api)).toEqual(isUnread ? ['createThing: madeUp'] : [])
})

it('the check finds a member of a group that nothing reads', () => {
  const api = apiOf({
    'packages/thing/src/index.ts': `${declaration}
export function createThing(options: ThingOptions): void { options.used; options.madeUp; options.group }`,
  })

  expect(unreadOptions(api)).toEqual(['createThing: group.inner'])
})

/** The API of a package whose files are not on the disk. */
function apiOf(files: Readonly<Record<string, string>>) {
  const options: ts.CompilerOptions = {
    noLib: true,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    allowImportingTsExtensions: true,
    noEmit: true,
    strict: true,
  }
  const host: ts.CompilerHost = {
    getSourceFile: (name, version) =>
      files[name] === undefined ? undefined : ts.createSourceFile(name, files[name], version, true),
    getDefaultLibFileName: () => 'lib.d.ts',
    writeFile: () => undefined,
    getCurrentDirectory: () => '',
    getCanonicalFileName: (name) => name,
    useCaseSensitiveFileNames: () => true,
    getNewLine: () => '\n',
    fileExists: (name) => files[name] !== undefined,
    readFile: (name) => files[name],
  }
  const entry = { name: '@mintmark/thing', file: 'packages/thing/src/index.ts' }
  return publicApiOf(ts.createProgram([entry.file], options, host), [entry])
}
