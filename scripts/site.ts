// Builds the site from docs to docs/.vitepress/dist, with a page for every entry point, a Markdown version of every
// page, and llms.txt.
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { Application, Converter, ReflectionKind } from 'typedoc'
import { build } from 'vitepress'

import { sourceUrl } from '../docs/.vitepress/source-links.ts'
import { withSentences } from './llms-index.ts'
import { entryFiles } from './reference/public-api.ts'

const output = 'docs/.vitepress/dist'

/** The options of typedoc-plugin-markdown, which writes a page for each entry point. */
const markdownOptions = {
  out: 'docs/reference/api',
  router: 'module',
  flattenOutputFiles: true,
  hidePageHeader: true,
  hideBreadcrumbs: true,
  parametersFormat: 'table',
  classPropertiesFormat: 'table',
  entryFileName: 'index.md',
}

rmSync('docs/reference/api', { recursive: true, force: true })
await writeApiPages()
await build('docs')
cpSync('docs/reference/openapi', join(output, 'reference/openapi'), { recursive: true })
writeFileSync(
  join(output, 'llms.txt'),
  withSentences(readFileSync(join(output, 'llms.txt'), 'utf8'), (path) => readFileSync(join(output, path), 'utf8')),
)
for (const path of globSync('**/{*.md,llms-full.txt}', { cwd: output })) writeSourceUrls(path)

/** Makes the links to sources in a Markdown version of a page absolute. */
function writeSourceUrls(path: string): void {
  const text = readFileSync(join(output, path), 'utf8')
  const linked = text.replaceAll(/\]\(([^()\s]+)\)/g, (link, target: string) => {
    const url = sourceUrl(target, path)
    return url === undefined ? link : `](${url})`
  })
  writeFileSync(join(output, path), linked)
}

/** Writes a page for every entry point into `docs/reference/api`: each export with its doc comment. */
async function writeApiPages(): Promise<void> {
  const application = await Application.bootstrapWithPlugins({
    name: 'Every export',
    entryPoints: entryFiles().map(({ file }) => file),
    tsconfig: 'tsconfig.base.json',
    plugin: ['typedoc-plugin-markdown'],
    readme: 'none',
    disableSources: true,
    groupOrder: ['Functions', 'Variables', 'Interfaces', 'Type Aliases', 'Classes'],
    // `pnpm check` checks the types.
    skipErrorChecking: true,
    excludeExternals: true,
    logLevel: 'Error',
    ...markdownOptions,
  })
  application.converter.on(Converter.EVENT_CREATE_DECLARATION, (_, reflection) => {
    if (reflection.kindOf(ReflectionKind.Module)) reflection.name = importPath(reflection.name)
  })
  const project = await application.convert()
  if (project === undefined) throw new Error('The exports could not be read.')
  await application.generateOutputs(project)
}

/** Returns the import path of a module: `@mintmark/core/http` for `core/src/http`. */
function importPath(module: string): string {
  const isModule = (file: string): boolean => file.replace('packages/', '').replace(/(?:\/index)?\.ts$/, '') === module
  return entryFiles().find(({ file }) => isModule(file))?.name ?? module
}
