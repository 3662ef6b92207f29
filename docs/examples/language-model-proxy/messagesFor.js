const earlier = (history ?? []).map((content) => ({ role: 'user', content }))
return [{ role: 'system', content: 'Answer shortly.' }, ...earlier, { role: 'user', content: question.trim() }]
