import type { EpochSeconds } from '@mintmark/storage-interface'

import {
  type Clock,
  createJournal,
  identifierSeries,
  type Journal as HttpJournal,
  type Random,
} from '@mintmark/internal'
import type { ServerEvent, ServerOccurrence } from './server-event.ts'

/** Receives the events of a server. What it throws is dropped: a log that is down must not fail a request. */
export type EventListener = (event: ServerEvent) => void | Promise<void>

/** Where endpoints write what happened. */
export type Journal = HttpJournal<ServerOccurrence>

/** The journal of an authorization server. */
export const openJournal = (
  listener: EventListener,
  { clock, random }: { readonly clock: Clock; readonly random: Random },
): Journal =>
  createJournal<ServerOccurrence, EpochSeconds>(listener, { clock, newIdentifier: identifierSeries(random) })
