import { Application, Converter, ReflectionKind } from 'typedoc'

import { entryFiles } from '../reference/public-api.ts'

/** Writes a page for every entry point into `docs/reference/api`: each export with its doc comment. */
export async function writeApiPages(): Promise<void> {
  const application = await Application.bootstrapWithPlugins({
    name: 'Every export',
    entryPoints: entryFiles().map(({ file }) => file),
    tsconfig: 'tsconfig.base.json',
    plugin: ['typedoc-plugin-markdown'],
    readme: 'none',
    disableSources: true,
    // What is called, before what it takes and gives.
    groupOrder: ['Functions', 'Variables', 'Interfaces', 'Type Aliases', 'Classes'],
    // `pnpm check` has compiled them.
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

/** Options of typedoc-plugin-markdown: a page for each module, and nothing around it. */
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

/** `core/src/http` is imported as `@mintmark/core/http`. */
function importPath(module: string): string {
  const found = entryFiles().find(
    ({ file }) => file.replace('packages/', '').replace(/(?:\/index)?\.ts$/, '') === module,
  )
  return found?.name ?? module
}
