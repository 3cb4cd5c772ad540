import ts from 'typescript'

import { docCommentOf } from './doc-comment.ts'
import type { PublicApi } from './public-api.ts'

/** The page `docs/reference/api.md`: every exported name, so that a change of the public API shows in a diff. */
export function apiPage({ entryPoints, checker }: PublicApi): string {
  const sections = entryPoints.map(({ name, exports }) => {
    const lines = exports.map((symbol) => {
      const [sentence = ''] = /^.*?[.:](?=\s|$)/s.exec(docCommentOf(symbol, checker).text) ?? []
      return `- \`${isValue(symbol) ? '' : 'type '}${symbol.name}\`${sentence === '' ? '' : `: ${sentence.replaceAll(/\s+/g, ' ').replace(/:$/, '.')}`}`
    })
    return [`## ${name}`, lines.toSorted(valuesFirst).join('\n')].join('\n\n')
  })
  return [introduction(exportedNames(entryPoints)), ...sections].join('\n\n') + '\n'
}

/** How many names there are to learn: a name that two entry points export counts once. */
export const exportedNames = (entryPoints: PublicApi['entryPoints']): number =>
  new Set(entryPoints.flatMap(({ exports }) => exports)).size

const introduction = (count: number): string => `# Exported names

The ${count} names that the packages export, by import path. Everything else is internal and changes without notice.

This page is written by \`pnpm reference\`, and a check fails when it is not up to date: a change of the public API is then part of
a review. The site also shows them with their types.`

const isValue = (symbol: ts.Symbol): boolean => (symbol.flags & ts.SymbolFlags.Value) !== 0

const valuesFirst = (one: string, other: string): number =>
  Number(one.startsWith('- `type ')) - Number(other.startsWith('- `type ')) || one.localeCompare(other)
