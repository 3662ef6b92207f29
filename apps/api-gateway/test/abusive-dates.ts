const impossible = [2025, 2026, 2027].flatMap((year) => [
  ...['02-29', '02-30', '02-31', '04-31', '06-31', '09-31', '11-31'].map((day) => `${year}-${day}`),
  ...Array.from({ length: 12 }, (_, month) => `${year}-${String(month + 1).padStart(2, '0')}-32`),
  ...Array.from({ length: 12 }, (_, month) => `${year}-${String(month + 1).padStart(2, '0')}-00`),
  ...['00', '13', '14', '20', '99'].map((month) => `${year}-${month}-01`),
])

const outside = [
  ...Array.from({ length: 20 }, (_, index) => `${2000 + index}-06-15`),
  ...Array.from({ length: 20 }, (_, index) => `${2100 + index * 7}-06-15`),
]

const odd = [
  ...['', 'v2', 'v1', 'latest', 'today', 'null', 'undefined', 'NaN', 'true', '0', '-1', '1e9', '[]', '{}'],
  ...['__proto__', 'constructor', 'toString', 'prototype', 'hasOwnProperty', '__proto__[x]', 'valueOf'],
  ...[
    '2025-1-1',
    '2025-01-1',
    '2025-1-01',
    '25-01-01',
    '02025-01-01',
    '+2025-01-01',
    '-2025-01-01',
    '20250101',
  ],
  ...['2025/01/01', '2025.01.01', '01-01-2025', '2025-01', '2025', '2025-001', '2025-W01-1', '2025-01-01-01'],
  ...[
    '2025-01-01T00:00:00Z',
    '2025-01-01Z',
    '2025-01-01 00:00',
    '2025-01-01,2025-01-02',
    '2025-01-01, 2025-01-01',
  ],
  ...[
    '2025-01-01;q=1',
    '"2025-01-01"',
    "'2025-01-01'",
    '["2025-01-01"]',
    '{"date":"2025-01-01"}',
    'W/"2025-01-01"',
  ],
  ...['../../../etc/passwd', './v2', '/v2', 'file:///etc/passwd', 'http://evil.example/', '2025-01-01/../v1'],
  ...[
    "' or 1=1 --",
    '$(id)',
    '`id`',
    '<script>',
    '{{7*7}}',
    '%00',
    '%32025-01-01',
    '2025-01-01%00',
    '2025%2D01%2D01',
  ],
  ...['2O25-01-01', '2025-o1-01', '0x7e9-01-01', '2025–01–01'],
  ...['２０２５-01-01', '٢٠٢٥-01-01', '2025-01-0１'],
  ...['9'.repeat(10), '9'.repeat(4000), `2025-01-01${'0'.repeat(4000)}`, 'a'.repeat(8000), '-'.repeat(1000)],
]

/** Two hundred values and more of X-Platform-API-Version that are no date a client may ask for. */
export const abusiveDates: readonly string[] = [...impossible, ...outside, ...odd]
