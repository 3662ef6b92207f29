const words = text.split(/\s+/).filter(Boolean).length
return { words, price: Math.round(words * pricePerWord * 100) / 100 }
