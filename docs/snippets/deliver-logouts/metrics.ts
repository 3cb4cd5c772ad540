import { observeDeliveries } from '@mintmark/core'
import type { DeliveryStorage } from '@mintmark/storage-interface'
import { metrics } from '@opentelemetry/api'

/** Exports metrics of the messages. Call it once, in one process only. */
export const exportDeliveryMetrics = (storage: DeliveryStorage): void =>
  observeDeliveries(metrics.getMeter('mintmark'), { storage })
