import type { Journal } from '../events.ts'
import type { InteractionDependencies } from './start-interaction.ts'

/** A host whose own routes serve the pages sets `interaction.loginUrl`, or it hears once that the pages may be missing. */
export function createReportOfMissingPages(
  { pages, interaction }: { readonly pages?: object; readonly interaction?: { readonly loginUrl?: string } },
  { journal, url }: { readonly journal: Journal; readonly url: string },
): InteractionDependencies['reportMissingPages'] {
  let isReported = pages !== undefined || interaction?.loginUrl !== undefined
  return (request) => {
    if (isReported) return
    isReported = true
    journal.record(request, { type: 'pages.missing', url })
  }
}
