import { fill, type Fragment, html } from '@mintmark/pages/internal'

import { time } from '../elements/time.ts'
import type { OpenedVisit } from './setup-visit.ts'

/** A request of the directory and its outcome. */
export interface LastRequest {
  readonly at: number
  readonly method: string
  readonly path: string
  readonly status: number
  readonly reason: string
  /** The reason, the attribute and the identifier. */
  readonly refusal: string
}

/** Says what keeps the connection from working, or that it works. */
export function connectionState(
  { setup, messages }: OpenedVisit,
  last: LastRequest | undefined,
): readonly (readonly [isGood: boolean, text: Fragment])[] {
  const { directory, now } = setup
  const { state } = messages
  const hasSecret = directory.secrets.some(({ expiresAt }) => expiresAt === undefined || now < expiresAt)
  const problems = [
    ...(directory.disabledAt === undefined ? [] : [state.off]),
    ...(directory.suspendedAt === undefined ? [] : [state.suspended]),
    ...(hasSecret ? [] : [state.noSecret]),
  ].map((text) => [false, html`${text}`] as const)
  if (last === undefined) return [...problems, [false, html`${state.waiting}`]]
  const isAccepted = last.status < 400
  const text = fill(isAccepted ? state.accepted : state.refused, { date: time(last.at, messages) })
  return [...problems, [isAccepted, text]]
}
