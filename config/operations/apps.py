from django.apps import AppConfig


class OperationsConfig(AppConfig):
    name = "config.operations"
    label = "operations"
