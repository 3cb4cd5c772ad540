import { apiPage } from './api-page.ts'
import { commandLinePage } from './command-line-page.ts'
import { endpointsPage } from './endpoints-page.ts'
import { eventsPage } from './events-page.ts'
import { documentedApis } from './documented-apis.ts'
import { optionsPage } from './options-page.ts'
import type { PublicApi } from './public-api.ts'

/** Returns the files that `pnpm generate reference` writes, by path. They are generated only from the sources. */
export async function referenceFiles(api: PublicApi): Promise<ReadonlyMap<string, string>> {
  const apis = await documentedApis()
  const files: readonly [string, string][] = [
    ['api.md', apiPage(api)],
    ['options.md', optionsPage(api)],
    ['events.md', eventsPage(api)],
    ['endpoints.md', endpointsPage(apis)],
    ['command-line.md', commandLinePage(api)],
    ...Object.entries(apis.byName).map(([name, { document }]): [string, string] => [
      `openapi/${name}.json`,
      `${JSON.stringify(document, undefined, 2)}\n`,
    ]),
  ]
  return new Map(files.map(([name, text]) => [`docs/reference/${name}`, text]))
}
