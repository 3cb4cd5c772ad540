import { redirect, type Endpoint, type ServerRequest, type ServerResponse } from '../http/index.ts'
import type { Clock } from '../runtime/clock.ts'
import { findInteraction, type FindInteractionDependencies } from './find-interaction.ts'
import type { PendingInteraction } from './pending-interaction.ts'
import { interactionLocation } from './start-interaction.ts'

/** A page of the host: it shows a pending interaction on GET, and answers its form on POST. */
export type InteractionPage = (pending: PendingInteraction, request: ServerRequest) => Promise<ServerResponse>

/** Serves a host's page: finds the interaction, and sends a browser that came to the wrong page to the right one. */
export const interactionPage =
  (
    kind: PendingInteraction['kind'],
    page: InteractionPage,
    deps: FindInteractionDependencies & { readonly clock: Clock },
  ): Endpoint =>
  async (request) => {
    const pending = await findInteraction(request, deps.clock(), deps)
    if (pending.kind === kind) return page(pending, request)
    const handle = request.url.searchParams.get('interaction') ?? ''
    return redirect(interactionLocation(deps.interactionUrls[pending.kind], handle))
  }
