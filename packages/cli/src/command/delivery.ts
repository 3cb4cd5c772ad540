import type { Administration } from '@mintmark/admin'
import { Command, Option } from 'commander'

import type { Io } from '../io.ts'
import { withAdministration } from '../config/open-storage.ts'
import { withConfig, type ConfigOptions } from '../config/settings.ts'
import { instant, type Columns, type ShowOptions } from '../show.ts'
import { showPage, withPage, type PageOptions } from './options.ts'

type DeliveryPageRequest = NonNullable<Parameters<Administration['deliveries']['list']>[0]>
type DeliveryView = Awaited<ReturnType<Administration['deliveries']['requeue']>>

type ListOptions = PageOptions & Pick<DeliveryPageRequest, 'state'> & { readonly client?: string }

/** Creates `mintmark delivery`, which manages messages to clients. */
export const deliveryCommand = (io: Io): Command =>
  new Command('delivery')
    .description('manages messages to clients, such as logout tokens')
    .addCommand(
      withPage(withConfig(new Command('list')))
        .description('lists the deliveries in one state, newest first')
        .addOption(new Option('--state <state>').choices(['pending', 'delivered', 'dead']).default('dead'))
        .option('--client <id>', 'only deliveries to this client')
        .action((options: ListOptions) =>
          withAdministration(options, io, async ({ deliveries }) => {
            const { limit, after, state, client: clientId } = options
            showPage(await deliveries.list({ limit, after, state, clientId }), columns, { ...options, io })
          }),
        ),
    )
    .addCommand(
      withConfig(new Command('requeue'))
        .description('requeues abandoned deliveries, which are then tried for one more day')
        .argument('<ids...>')
        .option('--json', 'print JSON, one line for each delivery')
        .action((ids: readonly string[], options: ConfigOptions & ShowOptions) =>
          withAdministration(options, io, async ({ deliveries }) => {
            for (const id of ids) {
              const delivery = await deliveries.requeue(id)
              const sentence = `Delivery ${id} to ${delivery.clientId} is pending again. A worker sends it within a minute.`
              io.out(options.json === true ? JSON.stringify(delivery) : sentence)
            }
          }),
        ),
    )

/** The columns of a list of deliveries. */
export const columns: Columns<DeliveryView> = {
  id: ({ deliveryId }) => deliveryId,
  channel: ({ channel }) => channel,
  client: ({ clientId }) => clientId,
  attempts: ({ attempts }) => `${attempts}`,
  failure: ({ lastFailure }) => lastFailure ?? '-',
  created: ({ createdAt }) => instant(createdAt),
  due: ({ dueAt }) => instant(dueAt),
  settled: ({ settledAt }) => instant(settledAt),
}
