/** Stands for the bank accounts of the signed-in user. */
export const accounts = [
  { value: 'current', label: 'Current account' },
  { value: 'savings', label: 'Savings account' },
]
