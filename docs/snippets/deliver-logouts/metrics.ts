import { observeDeliveries } from '@mintmark/core'
import type { DeliveryStorage } from '@mintmark/storage-interface'
import { metrics } from '@opentelemetry/api'

/** Call it once, in one process. */
export const exportDeliveryMetrics = (storage: DeliveryStorage): void =>
  observeDeliveries(metrics.getMeter('mintmark'), { storage })
