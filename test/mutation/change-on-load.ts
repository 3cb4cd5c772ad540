// `node --import` loads this module in each process in which vitest runs tests. It changes sources while Node loads
// them. Programs that a test starts with other arguments load the sources unchanged. Files on disk do not change.
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

/** The replacements of each file URL, from the last position to the first. */
export type Replacements = Readonly<
  Record<string, readonly { readonly start: number; readonly end: number; readonly text: string }[]>
>

const path = process.env['MINTMARK_REPLACEMENTS']
if (path !== undefined) {
  const replacements = JSON.parse(readFileSync(path, 'utf8')) as Replacements
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context)
      const fileReplacements = replacements[url.split('?')[0] ?? '']
      if (fileReplacements === undefined || loaded.source === undefined || loaded.source === null) return loaded
      const source = fileReplacements.reduce(
        (text, { start, end, text: replacement }) => text.slice(0, start) + replacement + text.slice(end),
        typeof loaded.source === 'string' ? loaded.source : new TextDecoder().decode(loaded.source),
      )
      return { ...loaded, source }
    },
  })
}
