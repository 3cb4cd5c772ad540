import type { Clock } from '@mintmark/internal'
import type { EpochSeconds } from '@mintmark/storage-interface'

import type { EventListener, Journal } from '../events.ts'
import type { DeliveryReport, DeliveryWorker } from './worker.ts'

/**
 * Sends due messages after a request, at most once a minute, while nobody has called `deliver`: messages that failed
 * before, and messages about revocations by other processes. No request waits for it.
 */
export function deliverAfterRequests(
  listener: EventListener,
  { worker, clock }: { readonly worker: () => DeliveryWorker | undefined; readonly clock: Clock },
): EventListener {
  let lastAt: EpochSeconds | undefined
  return (event) => {
    const now = clock()
    const isDue = lastAt === undefined || now < lastAt || now >= lastAt + intervalInSeconds
    // An event about a delivery is not a request.
    if (isDue && !event.type.startsWith('delivery.')) {
      lastAt = now
      worker()?.nudge()
    }
    return listener(event)
  }
}

const intervalInSeconds = 60

/** Reports the first messages of a process that were sent although nobody had called `deliver`. */
export function reportUnattended(
  journal: Pick<Journal, 'recordWithoutRequest'>,
): (work: Promise<DeliveryReport | undefined>) => void {
  let isReported = false
  const reportFirst = async (work: Promise<DeliveryReport | undefined>): Promise<void> => {
    const report = await work
    if (report === undefined || isReported) return
    const { delivered, failed, dead, more } = report
    if (delivered + failed + dead === 0 && !more) return
    isReported = true
    journal.recordWithoutRequest({ type: 'delivery.unattended' })
  }
  return (work) => void reportFirst(work)
}
