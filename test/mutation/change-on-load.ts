// Loaded before the processes in which vitest runs tests (`node --import`): changes sources while Node loads them. Programs
// that a test starts with arguments of its own load them unchanged. Files on disk stay as they are.
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

/** By URL of a file: the replacements, from the last to the first. */
export type Replacements = Readonly<
  Record<string, readonly { readonly start: number; readonly end: number; readonly text: string }[]>
>

const path = process.env['MINTMARK_REPLACEMENTS']
if (path !== undefined) {
  const replacements = JSON.parse(readFileSync(path, 'utf8')) as Replacements
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context)
      const own = replacements[url.split('?')[0] ?? '']
      if (own === undefined || loaded.source === undefined || loaded.source === null) return loaded
      const source = own.reduce(
        (text, { start, end, text: replacement }) => text.slice(0, start) + replacement + text.slice(end),
        typeof loaded.source === 'string' ? loaded.source : new TextDecoder().decode(loaded.source),
      )
      return { ...loaded, source }
    },
  })
}
