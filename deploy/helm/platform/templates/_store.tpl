{{- /* The password of a store, made once: dict root, store. */ -}}
{{- define "platform.storePassword" -}}
{{- $name := printf "%s-%s" (include "platform.fullname" .root) .store -}}
{{- $found := lookup "v1" "Secret" .root.Release.Namespace $name | default dict -}}
{{- $password := get ($found.data | default dict) "password" | b64dec -}}
{{- default (randAlphaNum 32) $password -}}
{{- end -}}

{{- /* The Service and the StatefulSet of a store, around its containers. dict root, store, port, container (YAML),
volumes (YAML), settings, user. Where it has a size, it keeps its data on a volume, else in memory of the pod. */ -}}
{{- define "platform.store" -}}
{{- $selector := dict "root" .root "component" .store -}}
apiVersion: v1
kind: Service
metadata:
  {{- include "platform.metadata" (merge (dict "name" .store) $selector) | nindent 2 }}
spec:
  selector:
    {{- include "platform.selector" $selector | nindent 4 }}
  ports:
    - { name: {{ .store }}, port: {{ .port }} }
---
apiVersion: apps/v1
kind: StatefulSet
metadata:
  {{- include "platform.metadata" (merge (dict "name" .store) $selector) | nindent 2 }}
spec:
  serviceName: {{ include "platform.fullname" .root }}-{{ .store }}
  replicas: 1
  selector:
    matchLabels:
      {{- include "platform.selector" $selector | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "platform.selector" $selector | nindent 8 }}
    spec:
      {{- include "platform.podHead" .root | nindent 6 }}
      serviceAccountName: {{ include "platform.serviceAccountName" .root }}
      terminationGracePeriodSeconds: 30
      securityContext:
        {{- include "platform.podSecurity" (dict "user" .user) | nindent 8 }}
      {{- include "platform.placement" .settings | nindent 6 }}
      containers:
        - name: {{ .store }}
          image: {{ .settings.image }}
          imagePullPolicy: {{ .root.Values.image.pullPolicy }}
          securityContext:
            {{- include "platform.containerSecurity" (dict "writable" .writable) | nindent 12 }}
          resources:
            {{- toYaml .settings.resources | nindent 12 }}
          {{- .container | nindent 10 }}
      volumes:
        - { name: tmp, emptyDir: {} }
        {{- if not .settings.size }}
        - { name: data, emptyDir: {} }
        {{- end }}
        {{- with .volumes }}
        {{- . | nindent 8 }}
        {{- end }}
  {{- with .settings.size }}
  volumeClaimTemplates:
    - metadata:
        name: data
      spec:
        accessModes: [ReadWriteOnce]
        {{- with $.settings.storageClass }}
        storageClassName: {{ . }}
        {{- end }}
        resources: { requests: { storage: {{ . }} } }
  {{- end }}
{{- end -}}
